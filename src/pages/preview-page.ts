import { html, type Html } from './html.js'
import { pageOf, type PageIn } from './page.js'

/** The public part of a link; a link with a password has no target here. */
interface Previewed {
  readonly code: string
  readonly target?: string
  readonly title: string | null
  /** what is forwarded to the target; empty: nothing */
  readonly query?: string
}

/** Scheme, host (with a port), and the rest of a target. */
const TARGET = /^(https?:\/\/)([^/?#]*)(.*)$/is

/** The target as text, with its host emphasized. */
const shownTarget = (target: string): Html => {
  const [, scheme, host, rest] = TARGET.exec(target) ?? []
  return host === undefined ? html`${target}` : html`${scheme}<strong>${host}</strong>${rest}`
}

/**
 * Shows where a link leads, without following it. Its button is the link itself, so that the visit counts, and the
 * link's own conditions apply.
 */
export const previewPage =
  ({ code, target, title, query = '' }: Previewed, host: string): PageIn =>
  (texts) => {
    const { preview } = texts
    const field = (name: string, shown: Html) =>
      html`<div class="field">
        <div class="label">${name}</div>
        ${shown}
      </div>`
    const named = title === null ? null : html`<strong><bdi>${title}</bdi></strong>`
    const leadsTo = target === undefined ? null : html`<div class="shown">${shownTarget(target)}</div>`
    const body = html`<p>${preview.lead}</p>
      ${named && field(preview.name, named)}
      ${leadsTo === null ? html`<p>${preview.guarded}</p>` : field(preview.target, leadsTo)}
      <a class="main" href="/${code}${query && `?${query}`}" rel="noreferrer nofollow">${preview.follow}</a>`
    return pageOf(texts, { title: preview.title(code), body, foot: [preview.note, host] })
  }
