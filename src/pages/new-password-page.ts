import type { Fault } from '../domain/refusal.js'
import { donePage } from './done-page.js'
import { fieldsOf, newPasswordField } from './field.js'
import { html } from './html.js'
import { pageOf, type PageIn } from './page.js'

/**
 * The form for a new password with the token of a link. `faults` and `endsTokens`: of the previous attempt. The address
 * is included for password managers.
 */
export const newPasswordPage =
  (
    host: string,
    {
      token,
      email,
      endsTokens = false,
    }: { readonly token: string; readonly email: string; readonly endsTokens?: boolean },
    faults: readonly Fault[] = [],
  ): PageIn =>
  (texts) => {
    const { newPassword } = texts
    const isWrong = faults.some(({ field }) => field !== 'token')
    const body = html`<p>${newPassword.lead(host)}</p>
      <form method="post" action="/auth/password/reset">
        <input type="hidden" name="token" value="${token}" />
        <input name="username" autocomplete="username" value="${email}" readonly hidden />
        ${fieldsOf([newPasswordField(texts, newPassword.password, isWrong)])}
        <div class="field choice">
          <input type="checkbox" id="end-tokens" name="end_tokens" value="true" ${endsTokens ? html`checked` : null} />
          <label for="end-tokens">${newPassword.endTokens}</label>
        </div>
        <button class="main">${newPassword.send}</button>
      </form>`
    return pageOf(texts, { title: newPassword.title, body, foot: [host], form: 'here' })
  }

/** The page after the change. */
export const passwordSetPage =
  (host: string): PageIn =>
  (texts) => {
    const { done, doneLead } = texts.newPassword
    return donePage(texts, host, { done, lead: doneLead })
  }
