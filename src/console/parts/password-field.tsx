import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import { t } from '../language/language'
import { Button } from './button'
import { Field } from './field'

/** A password field that can be revealed while typing. */
export const PasswordField = ({
  label,
  name,
  autocomplete,
  hint,
  fault,
  typed = '',
  required = true,
}: {
  readonly label: string
  readonly name: string
  readonly autocomplete: 'current-password' | 'new-password' | 'off'
  readonly hint?: string
  readonly fault?: string | undefined
  /** typed before: the initial value */
  readonly typed?: string
  readonly required?: boolean
}) => {
  const field = useRef<HTMLInputElement>(null)
  const isShown = useSignal(false)
  const show = (is: boolean) => {
    isShown.value = is
    if (field.current !== null) field.current.type = is ? 'text' : 'password'
  }
  // the next password is another one
  useEffect(() => {
    const form = field.current?.form
    const hide = () => show(false)
    form?.addEventListener('reset', hide)
    return () => form?.removeEventListener('reset', hide)
  }, [])
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(names) => (
        <div class="seen-password">
          <input
            {...names}
            ref={field}
            name={name}
            type="password"
            autocomplete={autocomplete}
            required={required}
            defaultValue={typed}
          />
          <Button
            kind="bare"
            label={isShown.value ? t.hidePassword : t.showPassword}
            onPress={() => show(!isShown.value)}
          >
            {isShown.value ? t.hide : t.show}
          </Button>
        </div>
      )}
    </Field>
  )
}
