import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { Icon, type IconName } from './icon'
import { isTyping } from './use-keys'

/** Closes the menu around an element; its button gets the focus. */
export const shutMenu = (within: Element | null): void => {
  const menu = within?.closest('details')
  if (!menu?.open) return
  menu.open = false
  menu.querySelector('summary')?.focus()
}

/**
 * A button that opens a list of buttons. Arrows move in it; Escape, a choice, or a press elsewhere closes it. A form in
 * it closes it itself (`shutMenu`), because it may be refused.
 */
export const Menu = ({
  label,
  text,
  icon,
  bare = false,
  start = false,
  onOpen,
  children,
}: {
  readonly label: string
  /** the visible label; only the icon without it */
  readonly text?: ComponentChildren
  readonly icon: IconName
  readonly bare?: boolean
  /** aligned to the start of the button instead of its end */
  readonly start?: boolean
  readonly onOpen?: () => unknown
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
  const shut = () => shutMenu(menu.current)
  const step = (by: 1 | -1) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('.floating :is(a, button, input)') ?? [])]
    const now = items.findIndex((item) => item === document.activeElement)
    items[(Math.max(now, by === 1 ? -1 : 0) + by + items.length) % items.length]?.focus()
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Escape: shut,
  }
  return (
    <details
      ref={menu}
      class={start ? 'menu start' : 'menu'}
      onToggle={({ currentTarget }) => currentTarget.open && void onOpen?.()}
      onKeyDown={(event) => {
        const act = menu.current?.open === true ? keys[event.key] : undefined
        if (act === undefined || (event.key !== 'Escape' && isTyping(event.target))) return
        // the keys of a table behind it are the same
        event.stopPropagation()
        event.preventDefault()
        act()
      }}
    >
      <summary class={bare ? 'button bare' : 'button'} aria-label={text === undefined ? label : undefined}>
        <Icon name={icon} />
        {text !== undefined && <span>{text}</span>}
        {text !== undefined && <Icon name="down" />}
      </summary>
      <div
        class="floating"
        // before the button acts: a dialog remembers what has the focus when it opens, and that is the menu then
        onClickCapture={({ target }) => {
          if (target instanceof Element && target.closest('[type=button]:not([aria-disabled]), a') !== null) shut()
        }}
      >
        {children}
      </div>
    </details>
  )
}
