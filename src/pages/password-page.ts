import { html } from './html.js'
import type { Texts } from './languages/languages.js'
import { pageOf, shownAddress, type PageIn } from './page.js'

/**
 * The form for a link with a password. It posts to its own URL, with the same query, as the field `password`. Of the
 * link, it contains only the code, which the visitor already has.
 */
export const passwordPage =
  ({
    code,
    host,
    status,
    fault,
    requestId,
  }: {
    readonly code: string
    readonly host: string
    readonly status: number
    /** fault of the previous attempt */
    readonly fault: keyof Texts['password']['faults'] | null
    readonly requestId: string
  }): PageIn =>
  (texts) => {
    const { title, lead, label, faults, send } = texts.password
    // not role="alert": the page is new, and the message describes the focused field
    const body = html`<p>${lead(shownAddress(host, code))}</p>
      <form method="post">
        <div class="field">
          <label for="password">${label}</label>
          ${fault === null ? null : html`<p class="fault" id="fault">${faults[fault]}</p>`}
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="off"
            required
            autofocus${fault === null ? null : html` aria-invalid="true" aria-describedby="fault"`}
          />
        </div>
        <button class="main">${send}</button>
      </form>`
    return pageOf(texts, { title, body, foot: [`${status} · ${host}`, texts.request(requestId)], form: 'to a target' })
  }
