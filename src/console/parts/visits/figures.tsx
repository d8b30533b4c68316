import { number } from '../../language/format'
import { t } from '../../language/language'
import { compare } from './comparison'
import { momentOf } from './moments'
import type { Compared } from './use-visits'

const Figure = ({
  name,
  value,
  remark,
}: {
  readonly name: string
  readonly value: number
  readonly remark: string
}) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <strong>{number(value)}</strong>
      <span>{remark}</span>
    </dd>
  </div>
)

export const Figures = ({ compared: { shown, before, interval } }: { readonly compared: Compared }) => {
  const most = Math.max(...shown.series.map(({ visits }) => visits))
  const busiest = shown.series.find(({ visits }) => visits === most && most > 0)
  return (
    <dl class="figures">
      <Figure name={t.nav.visits} value={shown.total} remark={t.visits.compared(compare(shown.total, before.total))} />
      <Figure
        name={t.visits.visitors}
        value={shown.visitors}
        remark={t.visits.compared(compare(shown.visitors, before.visitors))}
      />
      {busiest !== undefined && (
        <Figure name={t.visits.busiest[interval]} value={most} remark={momentOf(interval, busiest.time)} />
      )}
      <Figure name={t.visits.bots} value={shown.bots} remark={t.visits.botsApart} />
    </dl>
  )
}
