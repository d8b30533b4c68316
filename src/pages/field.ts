import { html, type Html } from './html.js'
import type { Texts } from './languages/languages.js'

/** A form field with its label, hint and fault. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly fault: string
  readonly isWrong: boolean
  /** type, limits and value */
  readonly attributes: Html
}

const fieldOf = ({ name, label, hint, fault, isWrong, attributes }: Field, hasFocus: boolean): Html => {
  const describedBy = isWrong ? `${name}-fault ${name}-hint` : `${name}-hint`
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${isWrong ? html`<p class="fault" id="${name}-fault">${fault}</p>` : null}
    <input
      id="${name}"
      name="${name}"
      ${attributes}
      aria-describedby="${describedBy}"
      ${isWrong ? html` aria-invalid="true"` : null}
      required${hasFocus ? html` autofocus` : null}
    />
    <p class="hint" id="${name}-hint">${hint}</p>
  </div>`
}

/** The field for a new password. */
export const newPasswordField = ({ invitation }: Texts, label: string, isWrong: boolean): Field => ({
  name: 'password',
  label,
  hint: invitation.passwordHint,
  fault: invitation.passwordFault,
  isWrong,
  // no maxlength: a browser would silently truncate a pasted password
  attributes: html`type="password" autocomplete="new-password" minlength="8"`,
})

/** The fields in order. The first one with a fault gets the focus. */
export const fieldsOf = (fields: readonly Field[]): readonly Html[] => {
  const focused = fields.find((field) => field.isWrong)
  return fields.map((field) => fieldOf(field, field === focused))
}
