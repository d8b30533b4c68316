import { donePage } from './done-page.js'
import { html } from './html.js'
import { pageOf, type PageIn } from './page.js'

/** The form for confirming a new address with the token of a link. */
export const newAddressPage =
  (host: string, { token, email }: { readonly token: string; readonly email: string }): PageIn =>
  (texts) => {
    const { title, lead, send } = texts.newAddress
    const body = html`<p>${lead(html`<strong>${email}</strong>`)}</p>
      <form method="post" action="/auth/email/confirm">
        <input type="hidden" name="token" value="${token}" />
        <button class="main">${send}</button>
      </form>`
    return pageOf(texts, { title, body, foot: [host], form: 'here' })
  }

/** The page after the confirmation. */
export const addressConfirmedPage =
  (host: string, email: string): PageIn =>
  (texts) => {
    const { done, doneLead } = texts.newAddress
    return donePage(texts, host, { done, lead: doneLead(html`<strong>${email}</strong>`) })
  }
