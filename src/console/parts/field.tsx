import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** What an input needs to know about its field. */
export interface InputNames {
  readonly id: string
  readonly 'aria-invalid': boolean | undefined
  readonly 'aria-describedby': string | undefined
}

interface FieldProps {
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  readonly fault?: ComponentChildren
  readonly whole?: boolean
  readonly children: (names: InputNames) => ComponentChildren
}

/** A label, an input, a hint, and the fault of the input. */
export const Field = ({ label, hint, fault, whole = false, children }: FieldProps) => {
  const id = useId()
  const described = [hint === undefined ? '' : `${id}-hint`, fault === undefined ? '' : `${id}-fault`]
  return (
    <div class={whole ? 'field whole' : 'field'}>
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-invalid': fault !== undefined || undefined,
        'aria-describedby': described.filter(Boolean).join(' ') || undefined,
      })}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** A checkbox or a switch, followed by its label. */
export const Choice = ({
  label,
  checked,
  onChange,
  asSwitch = false,
}: {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly onChange: (checked: boolean) => unknown
  readonly asSwitch?: boolean
}) => {
  const id = useId()
  return (
    <div class="choice">
      <input
        id={id}
        type="checkbox"
        role={asSwitch ? 'switch' : undefined}
        class={asSwitch ? 'switch' : undefined}
        checked={checked}
        onChange={({ currentTarget }) => void onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
    </div>
  )
}

/** The choices of a `select`. `chosen`: for one without a `value`, which stays as it was chosen. */
export const Options = <Name extends string | number>({
  names,
  words = String,
  chosen,
}: {
  readonly names: Iterable<Name>
  readonly words?: (name: Name) => ComponentChildren
  readonly chosen?: Name
}) => (
  <>
    {[...names].map((name) => (
      <option key={name} value={name} selected={chosen === undefined ? undefined : name === chosen}>
        {words(name)}
      </option>
    ))}
  </>
)
