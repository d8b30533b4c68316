import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A part of a page that has a name of its own. */
export const Card = ({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions !== undefined && <span class="row push">{actions}</span>}
      </header>
      {children}
    </section>
  )
}
