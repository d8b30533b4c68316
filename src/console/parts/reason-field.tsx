import type { ComponentChildren } from 'preact'

import type { LinkgateProblem } from '../api'
import { Field } from './field'
import { faultsOf } from './note'

/** A reason, for the record. Ctrl+Enter submits the form around it. */
export const ReasonField = ({
  label,
  hint,
  problem,
  value,
  required = false,
  onType,
}: {
  readonly label: string
  readonly hint?: ComponentChildren
  /** the last refusal, which may be about the reason */
  readonly problem: LinkgateProblem | null
  readonly value: string
  readonly required?: boolean
  readonly onType: (text: string) => unknown
}) => (
  <Field label={label} hint={hint} fault={faultsOf(problem)['reason']}>
    {(names) => (
      <textarea
        {...names}
        rows={2}
        maxLength={1_000}
        required={required}
        value={value}
        onInput={({ currentTarget }) => void onType(currentTarget.value)}
        onKeyDown={({ key, ctrlKey, currentTarget }) => {
          if (key === 'Enter' && ctrlKey) currentTarget.form?.requestSubmit()
        }}
      />
    )}
  </Field>
)
