import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

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
  const typed = useRef<HTMLInputElement>(null)
  const choose = (name: string) => {
    if (name !== ANOTHER) return void onChange(name)
    isTyped.value = true
    void onChange('')
    // the list is gone
    requestAnimationFrame(() => typed.current?.focus())
  }
  return (
    <Field label={label} fault={fault}>
      {(input) =>
        isTyped.value ? (
          <input
            {...input}
            ref={typed}
            value={value}
            maxLength={65}
            spellcheck={false}
            autocapitalize="off"
            onInput={({ currentTarget }) => void onChange(currentTarget.value.trim())}
            onBlur={() => (isTyped.value = !names.includes(value))}
          />
        ) : (
          <select {...input} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <Options names={names} words={(each) => (each === '*' ? `* ${t.policy.any}` : each)} />
            <option value={ANOTHER}>{another}</option>
          </select>
        )
      }
    </Field>
  )
}
