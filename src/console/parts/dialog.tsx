import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

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
  // before its content asks for the focus
  useLayoutEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
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
