import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { Icon, type IconName } from './icon'

/** A button that opens a list of buttons. Escape, a choice, or a press elsewhere closes it. */
export const Menu = ({
  label,
  text,
  icon,
  bare = false,
  start = false,
  children,
}: {
  readonly label: string
  /** the visible label; only the icon without it */
  readonly text?: ComponentChildren
  readonly icon: IconName
  readonly bare?: boolean
  /** aligned to the start of the button instead of its end */
  readonly start?: boolean
  readonly children: ComponentChildren
}) => {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = ({ target }: Event) => {
      if (target instanceof Node && menu.current?.contains(target)) return
      if (menu.current) menu.current.open = false
    }
    document.addEventListener('pointerdown', close)
    document.addEventListener('focusin', close)
    return () => {
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('focusin', close)
    }
  }, [])
  const shut = () => {
    if (menu.current === null) return
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
  }
  return (
    <details
      ref={menu}
      class={start ? 'menu start' : 'menu'}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || menu.current?.open !== true) return
        event.stopPropagation()
        shut()
      }}
    >
      <summary class={bare ? 'button bare' : 'button'} aria-label={text === undefined ? label : undefined}>
        <Icon name={icon} />
        {text !== undefined && <span>{text}</span>}
        {text !== undefined && <Icon name="down" />}
      </summary>
      <div
        class="floating"
        onClick={({ target }) => {
          if (target instanceof Element && target.closest('button:not([aria-disabled]), a') !== null) shut()
        }}
      >
        {children}
      </div>
    </details>
  )
}
