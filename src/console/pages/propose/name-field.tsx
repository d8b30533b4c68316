import { useSignal } from '@preact/signals'

import { t } from '../../language/language'
import { Field, Options } from '../../parts/field'

const ANOTHER = '+'

/**
 * A list of the existing names, with an option to type another one. (A text field with a `datalist` would need one
 * control less, but Chromium crashes when such a field is moved, as the rows of a draft are.)
 */
export const NameField = ({
  label,
  value,
  names,
  fault,
  another,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly names: readonly string[]
  readonly fault: string | undefined
  readonly another: string
  readonly onChange: (value: string) => unknown
}) => {
  const isTyped = useSignal(!names.includes(value))
  return (
    <Field label={label} fault={fault}>
      {(input) =>
        isTyped.value ? (
          <input
            {...input}
            value={value}
            maxLength={65}
            spellcheck={false}
            autocapitalize="off"
            onInput={({ currentTarget }) => void onChange(currentTarget.value.trim())}
            onBlur={() => (isTyped.value = !names.includes(value))}
          />
        ) : (
          <select
            {...input}
            value={value}
            onChange={({ currentTarget }) => {
              if (currentTarget.value === ANOTHER) isTyped.value = true
              void onChange(currentTarget.value === ANOTHER ? '' : currentTarget.value)
            }}
          >
            <Options names={names} words={(each) => (each === '*' ? `* ${t.policy.any}` : each)} />
            <option value={ANOTHER}>{another}</option>
          </select>
        )
      }
    </Field>
  )
}
