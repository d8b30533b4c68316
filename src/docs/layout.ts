import { MARK, documentOf, html, ownHtml, policyOf, type Html, type Page } from '../pages/pages.js'
import { STYLE } from './style.js'

interface Parts {
  readonly title: string
  /** the part of the site that it belongs to */
  readonly part: 'reference' | 'guides'
  /** the content of the side bar, and its label */
  readonly contents: Html
  readonly contentsName: string
  readonly main: Html
  readonly scripts: readonly string[]
}

const partLink = (part: Parts['part'], current: Parts['part'], address: string, name: string): Html =>
  part === current ? html`<a href="${address}" class="current">${name}</a>` : html`<a href="${address}">${name}</a>`

/** Puts a page into the layout of the site: header, contents at the side, and the main part. */
export const docsPageOf = ({ title, part, contents, contentsName, main, scripts }: Parts): Page => {
  const scriptsAsSent = scripts.map(ownHtml)
  // prettier-ignore
  const elements = scriptsAsSent.map((script) => html`<script type="module">${script}</script>`)
  const body = html`<body>
    <a class="skip" href="#main">Skip to the content</a>
    <header class="top">
      <a class="home" href="/docs">${MARK} Linkgate</a>
      <nav aria-label="Documentation">
        ${partLink('guides', part, '/docs/guides', 'Guides')} ${partLink('reference', part, '/docs', 'API reference')}
      </nav>
    </header>
    <div class="page">
      <nav class="contents" aria-label="Contents">
        <details>
          <summary>${contentsName}</summary>
          ${contents}
        </details>
      </nav>
      <main id="main" tabindex="-1">${main}</main>
    </div>
    ${elements}
  </body>`
  return {
    text: documentOf({ language: 'en', title: `${title} · Linkgate`, style: STYLE, indexed: false, body }),
    headers: {
      'Content-Security-Policy': policyOf(STYLE, 'none', scriptsAsSent),
      'Content-Language': 'en',
      'Cache-Control': 'public, max-age=60',
    },
  }
}
