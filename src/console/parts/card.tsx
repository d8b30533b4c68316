import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A named section of a page. */
export const Card = ({
  title,
  actions,
  busy,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  /** true while its content is loading */
  readonly busy?: boolean
  readonly children: ComponentChildren
}) => {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id} aria-busy={busy}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions !== undefined && <span class="row push">{actions}</span>}
      </header>
      {children}
    </section>
  )
}
