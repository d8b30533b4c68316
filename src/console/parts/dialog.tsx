import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

import { useReturnedFocus } from './focus'

/** A dialog that is open while it is mounted. Escape closes it, and the focus returns to where it was. */
export const Dialog = ({
  title,
  hidesPage = false,
  onClose,
  children,
}: {
  readonly title: string
  /** nothing of the page can be seen behind it */
  readonly hidesPage?: boolean
  /** undefined: it cannot be dismissed, only answered */
  readonly onClose?: () => unknown
  readonly children: ComponentChildren
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useReturnedFocus()
  // before its content asks for the focus
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class={hidesPage ? 'hides-page' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        void onClose?.()
      }}
      // a browser closes it at a repeated Escape, whatever `cancel` says
      onClose={() => (onClose === undefined ? dialog.current?.showModal() : onClose())}
    >
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
