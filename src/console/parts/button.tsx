import type { ComponentChildren, TargetedMouseEvent } from 'preact'
import { useId } from 'preact/hooks'

import { Icon } from './icon'
import type { IconName } from './icon'

interface Look {
  /** `main`: what the page is there for; `bare`: beside other things; `risk`: takes something away */
  readonly kind?: 'main' | 'bare' | 'risk' | 'bare risk'
  readonly icon?: IconName
}

export const buttonClass = ({ kind = undefined }: Look, more = ''): string =>
  ['button', kind, more].filter(Boolean).join(' ')

interface ButtonProps extends Look {
  readonly children: ComponentChildren
  readonly onPress?: () => unknown
  readonly type?: 'button' | 'submit'
  readonly busy?: boolean
  /** why it is off; it stays where it is, and says so */
  readonly off?: string | null | undefined
  readonly wide?: boolean
  /** a longer name for those who do not see what it stands beside */
  readonly label?: string | undefined
  /** whether what it opens is open */
  readonly expanded?: boolean
}

/**
 * A button. One that is off stays in the tab order and has its reason beside it: nothing that somebody may not do is
 * hidden from them.
 */
export const Button = ({
  children,
  onPress,
  type = 'button',
  busy = false,
  off,
  wide = false,
  label,
  icon,
  expanded,
  ...look
}: ButtonProps) => {
  const reasonId = useId()
  const isOff = off !== undefined && off !== null
  const press = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (isOff || busy) event.preventDefault()
    else void onPress?.()
  }
  const button = (
    <button
      type={type}
      class={buttonClass(look, wide ? 'wide' : '')}
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
  )
  if (!isOff) return button
  return (
    <span class="with-reason">
      {button}
      <span class="reason" id={reasonId}>
        {off}
      </span>
    </span>
  )
}
