import { html } from './html.js'
import type { Html } from './html.js'

/** A field of a form: what stands above it, under it, and what is wrong with it. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly fault: string
  readonly isWrong: boolean
  /** type, limits and what is in it */
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

/** The fields one under the other. The first with a fault has the focus. */
export const fieldsOf = (fields: readonly Field[]): readonly Html[] => {
  const focused = fields.find((field) => field.isWrong)
  return fields.map((field) => fieldOf(field, field === focused))
}
