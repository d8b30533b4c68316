import { number } from '../../language/format'
import { t } from '../../language/language'
import { momentOf } from './moments'
import type { Compared } from './use-visits'

export const VisitsTable = ({ compared: { shown, before, interval } }: { readonly compared: Compared }) => {
  const rows = shown.series.map((point, i) => ({ ...point, before: before.series[i]?.visits ?? 0 })).toReversed()
  return (
    <details class="disclosure">
      <summary>{t.visits.asTable}</summary>
      <div class="table-wrap">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t.visits.when[interval]}</th>
              <th scope="col" class="number">
                {t.nav.visits}
              </th>
              <th scope="col" class="number">
                {t.visits.visitorsShort}
              </th>
              <th scope="col" class="number">
                {t.visits.beforeShort}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.time}>
                <th scope="row">{momentOf(interval, row.time)}</th>
                <td class="number">{number(row.visits)}</td>
                <td class="number">{number(row.visitors)}</td>
                <td class="number">{number(row.before)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
