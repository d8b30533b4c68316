import type { ComponentChildren } from 'preact'

import { CopyButton } from './copy-button'
import { Field } from './field'

/** A text that is shown once, to be copied. `children`: what follows. */
export const SecretField = ({
  label,
  hint,
  text,
  children,
}: {
  readonly label: string
  readonly hint?: string
  readonly text: string
  readonly children: ComponentChildren
}) => (
  <>
    <Field label={label} hint={hint}>
      {(names) => (
        <input {...names} class="mono" readOnly value={text} onFocus={({ currentTarget }) => currentTarget.select()} />
      )}
    </Field>
    <div class="row">
      <CopyButton text={text} />
      {children}
    </div>
  </>
)
