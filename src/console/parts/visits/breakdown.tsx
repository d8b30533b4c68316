import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

import { t } from '../../language/language'
import { Button } from '../button'
import { Card } from '../card'
import { Bars } from './bars'
import { rowsOf, type ValueCount } from './breakdown-rows'

const FIRST = 5

/** One of the service's lists: where visits come from, or with what. */
export const Breakdown = ({
  title,
  counts,
  nameOf,
  unknown,
}: {
  readonly title: string
  readonly counts: readonly ValueCount[]
  readonly nameOf: (value: string | null) => ComponentChildren
  /** shown if no value is known for any visit */
  readonly unknown?: ComponentChildren
}) => {
  const showsAll = useSignal(false)
  const first = rowsOf(counts, FIRST)
  const { rows, rest } = showsAll.value ? rowsOf(counts, counts.length) : first
  const all = counts.reduce((sum, { visits }) => sum + visits, 0)
  const isUnknown = counts.every(({ value }) => value === null)
  return (
    <Card
      title={title}
      actions={
        counts.length > first.rows.length && (
          <Button
            kind="bare"
            label={showsAll.value ? t.visits.showFewer(title) : t.visits.showAll(title)}
            onPress={() => (showsAll.value = !showsAll.value)}
          >
            {showsAll.value ? t.visits.fewer : t.visits.all}
          </Button>
        )
      }
    >
      <div class="body stack">
        {counts.length === 0 && <p class="hint">{t.visits.nothing}</p>}
        {counts.length > 0 && isUnknown && unknown !== undefined && <p class="hint">{unknown}</p>}
        {counts.length > 0 && !(isUnknown && unknown !== undefined) && (
          <Bars
            all={all}
            rows={[
              ...rows.map(({ value, visits }) => ({ name: nameOf(value), visits })),
              ...(rest === null ? [] : [{ name: t.visits.other(rest.values), visits: rest.visits }]),
            ]}
          />
        )}
      </div>
    </Card>
  )
}
