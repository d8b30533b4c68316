import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** A page: its heading, which gets the focus when the page opens, its actions and its content. */
export const Page = ({
  title,
  heading = title,
  actions,
  busy,
  children,
}: {
  readonly title: string
  /** set if it is more than the title */
  readonly heading?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly busy?: boolean
  readonly children: ComponentChildren
}) => {
  const name = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Linkgate`
  }, [title])
  useLayoutEffect(() => {
    name.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [])
  return (
    <>
      <div class="head">
        <h1 ref={name} tabIndex={-1}>
          {heading}
        </h1>
        {actions}
      </div>
      <div class="stack" aria-busy={busy}>
        {children}
      </div>
    </>
  )
}
