import { html } from './html.js'
import { pageOf, type PageIn } from './page.js'

/** The page at `/`: what this service is, and where to read on. */
export const homePage =
  (host: string): PageIn =>
  (texts) => {
    const { title, lead, console, documentation } = texts.home
    const body = html`<p>${lead}</p>
      <ul class="links">
        <li><a href="/console">${console}</a></li>
        <li><a href="/docs">${documentation}</a></li>
      </ul>`
    return pageOf(texts, { title: title(host), body, foot: [host], indexed: true })
  }
