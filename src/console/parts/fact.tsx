import type { ComponentChildren } from 'preact'

/** A name and its value, in a `dl`. */
export const Fact = ({
  name,
  children,
}: {
  readonly name: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
