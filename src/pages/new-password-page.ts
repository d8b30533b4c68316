import type { Fault } from '../domain/refusal.js'
import { donePage } from './done-page.js'
import { fieldsOf } from './field.js'
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
    const { newPassword, invitation } = texts
    const password = {
      name: 'password',
      label: newPassword.password,
      hint: invitation.passwordHint,
      fault: invitation.passwordFault,
      isWrong: faults.some(({ field }) => field !== 'token'),
      // no maxlength: a browser would silently truncate a pasted password
      attributes: html`type="password" autocomplete="new-password" minlength="8"`,
    }
    const body = html`<p>${newPassword.lead(host)}</p>
      <form method="post" action="/auth/password/reset">
        <input type="hidden" name="token" value="${token}" />
        <input name="username" autocomplete="username" value="${email}" readonly hidden />
        ${fieldsOf([password])}
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
