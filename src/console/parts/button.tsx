import type { ComponentChildren, TargetedMouseEvent } from 'preact'
import { useId } from 'preact/hooks'

import { Icon, type IconName } from './icon'

interface ButtonProps {
  readonly children: ComponentChildren
  /** `main`: the page's main action; `bare`: secondary; `risk`: destructive */
  readonly kind?: 'main' | 'bare' | 'risk' | 'bare risk' | undefined
  readonly icon?: IconName
  readonly onPress?: () => unknown
  readonly type?: 'button' | 'submit'
  readonly busy?: boolean
  /** why it is disabled; it stays in place and shows the reason */
  readonly off?: string | null | undefined
  readonly wide?: boolean
  /** a longer name for screen readers, which lack the visual context */
  readonly label?: string | undefined
  /** whether the part that it controls is open */
  readonly expanded?: boolean
}

/**
 * A button. A disabled one stays in the tab order and shows its reason, to which a press leads: actions that a user
 * may not take are not hidden.
 */
export const Button = ({
  children,
  kind,
  onPress,
  type = 'button',
  busy = false,
  off,
  wide = false,
  label,
  icon,
  expanded,
}: ButtonProps) => {
  const reasonId = useId()
  const isOff = off !== undefined && off !== null
  const press = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (isOff) {
      event.preventDefault()
      document.getElementById(reasonId)?.focus()
    } else if (busy) event.preventDefault()
    else void onPress?.()
  }
  // always in a span: without it while it is on, the button would be made anew when it turns off, and lose the focus
  return (
    <span class={isOff ? 'with-reason' : 'alone'}>
      <button
        type={type}
        class={['button', kind, wide && 'wide'].filter(Boolean).join(' ')}
        aria-disabled={isOff || busy || undefined}
        aria-busy={busy || undefined}
        aria-describedby={isOff ? reasonId : undefined}
        aria-label={label}
        aria-expanded={expanded}
        onClick={press}
      >
        {icon && <Icon name={icon} />}
        <span>{children}</span>
      </button>
      {isOff && (
        <span class="reason" id={reasonId} tabIndex={-1}>
          {off}
        </span>
      )}
    </span>
  )
}
