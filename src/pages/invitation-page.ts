import type { Fault } from '../domain/refusal.js'
import { donePage } from './done-page.js'
import { fieldsOf, newPasswordField, type Field } from './field.js'
import { html } from './html.js'
import { pageOf, type PageIn } from './page.js'

/**
 * The form for accepting an invitation; it posts to its own URL. `faults`: those of the previous attempt; the first
 * faulty field gets the focus. A typed name stays, a password does not.
 */
export const invitationPage =
  (host: string, faults: readonly Fault[] = [], typedName = ''): PageIn =>
  (texts) => {
    const { invitation } = texts
    // a fault without a field: the body was empty
    const isWrong = (name: string) => faults.some(({ field }) => field === name || field === '')
    const fields: readonly Field[] = [
      {
        name: 'name',
        label: invitation.name,
        hint: invitation.nameHint,
        fault: invitation.nameFault,
        isWrong: isWrong('name'),
        attributes: html`autocomplete="name" maxlength="200" value="${typedName}"`,
      },
      newPasswordField(texts, invitation.password, isWrong('password')),
    ]
    const body = html`<p>${invitation.lead(host)}</p>
      <form method="post">
        ${fieldsOf(fields)}
        <button class="main">${invitation.send}</button>
      </form>`
    return pageOf(texts, { title: invitation.title, body, foot: [host], form: 'here' })
  }

/** The page after the account was created. */
export const acceptedPage =
  (host: string, email: string): PageIn =>
  (texts) => {
    const { done, doneLead } = texts.invitation
    return donePage(texts, host, { done, lead: doneLead(html`<strong>${email}</strong>`) })
  }
