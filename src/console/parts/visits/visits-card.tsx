import type { ComponentChildren } from 'preact'

import { date, dayAndMonth, number } from '../../language/format'
import { t } from '../../language/language'
import { BusyBar } from '../busy-bar'
import { Fact } from '../fact'
import { LoadProblem } from '../load-problem'
import type { Loaded } from '../loaded'
import { Note } from '../note'
import { Segments } from '../segments'
import { Chart } from './chart'
import { compare } from './comparison'
import { momentOf } from './moments'
import { PERIODS, type Period } from './periods'
import type { Compared } from './use-visits'

/** Visits over time, with the previous period. */
export const VisitsCard = ({
  title = t.nav.visits,
  period,
  onPeriod,
  visits,
  none,
  children,
}: {
  readonly title?: string
  readonly period: Period
  readonly onPeriod: (period: Period) => unknown
  readonly visits: Omit<Loaded<Compared>, 'put'>
  /** shown if there are none in the period */
  readonly none: ComponentChildren
  readonly children?: ComponentChildren
}) => {
  const { value } = visits
  return (
    <section class="card visits" aria-labelledby="visits-title" aria-busy={visits.busy}>
      <header>
        <h2 id="visits-title">{title}</h2>
        <Segments
          label={t.visits.period}
          names={PERIODS}
          chosen={period}
          words={(each) => t.visits.periods[each]}
          onChoose={onPeriod}
        />
        {children}
        {value !== null && value.shown.total + value.before.total > 0 && <Legend compared={value} />}
      </header>
      {visits.busy && <BusyBar />}
      <div class="body stack">
        <LoadProblem of={visits} />
        {value?.shown.counting === false && <Note title={t.visits.notCounting}>{t.visits.fromBefore}</Note>}
        {value !== null && isAny(value) && <Figures compared={value} />}
        {value !== null && value.shown.total + value.before.total > 0 && (
          <>
            <Chart series={value.shown.series} before={value.before.series} interval={value.interval} />
            <VisitsTable compared={value} />
          </>
        )}
        {value !== null && value.shown.total === 0 && (
          <p class="empty">{value.shown.counting ? none : t.visits.nothing}</p>
        )}
      </div>
    </section>
  )
}

const isAny = ({ shown, before }: Compared): boolean => shown.total + shown.bots + before.total > 0

const Legend = ({ compared: { period, shown } }: { readonly compared: Compared }) => {
  const dayOf = period === '1y' ? date : dayAndMonth
  const from = dayOf(shown.from)
  const to = dayOf(Date.parse(shown.to) - 1)
  return (
    <ul class="legend push">
      <li>
        <svg width="20" height="2" aria-hidden="true">
          <path class="line" d="M0 1H20" />
        </svg>
        {t.visits.span(from, to)}
      </li>
      <li>
        <svg width="20" height="2" aria-hidden="true">
          <path class="line before" d="M0 1H20" />
        </svg>
        {t.visits.before[period]}
      </li>
    </ul>
  )
}

const Figures = ({ compared: { shown, before, interval } }: { readonly compared: Compared }) => {
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

const Figure = ({
  name,
  value,
  remark,
}: {
  readonly name: string
  readonly value: number
  readonly remark: string
}) => (
  <Fact name={name}>
    <strong>{number(value)}</strong>
    <span>{remark}</span>
  </Fact>
)

const VisitsTable = ({ compared: { shown, before, interval } }: { readonly compared: Compared }) => {
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
