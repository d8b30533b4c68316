import type { ComponentChildren } from 'preact'

import { number, percent } from '../../language/format'

/** Numbers of visits, each with its share and a bar; the greatest number has the longest bar. */
export const Bars = ({
  rows,
  all,
}: {
  readonly rows: readonly { readonly name: ComponentChildren; readonly visits: number }[]
  readonly all: number
}) => {
  const most = Math.max(...rows.map(({ visits }) => visits))
  return (
    <ol class="bars">
      {rows.map(({ name, visits }, i) => (
        <li key={i}>
          <span>{name}</span>
          <span class="number">{number(visits)}</span>
          <span class="number share">{percent(visits / all)}</span>
          <svg class="bar" height="4" aria-hidden="true">
            <rect class="ground" width="100%" height="4" rx="2" />
            <rect width={`${(visits / most) * 100}%`} height="4" rx="2" />
          </svg>
        </li>
      ))}
    </ol>
  )
}
