import { html } from './html.js'
import { pageOf, shownAddress } from './page.js'
import type { PageIn } from './page.js'

/**
 * The form for a link with a password. It is sent to the address at which it stands, with its query, as field
 * `password`. Nothing of the link is in it but the code that the visitor has.
 */
export const passwordPage =
  ({
    code,
    host,
    wrong,
    requestId,
  }: {
    readonly code: string
    readonly host: string
    /** true where another password was sent before */
    readonly wrong: boolean
    readonly requestId: string
  }): PageIn =>
  (texts) => {
    const { title, lead, label, wrong: fault, send } = texts.password
    // not role="alert": the page is new, and the field that has the focus is described by it
    const body = html`<p>${lead(shownAddress(host, code))}</p>
      <form method="post">
        <div class="field">
          <label for="password">${label}</label>
          ${wrong ? html`<p class="fault" id="fault">${fault}</p>` : null}
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="off"
            required
            autofocus${wrong ? html` aria-invalid="true" aria-describedby="fault"` : null}
          />
        </div>
        <button class="main">${send}</button>
      </form>`
    return pageOf(texts, { title, body, foot: [`403 · ${host}`, texts.request(requestId)], form: 'to a target' })
  }
