import { useSignal } from '@preact/signals'

import type { LogEntry } from '../../api'
import { clock, longDay, number, timeZone } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { byDay, foldLines, type Fold } from './log-line'
import { COLUMNS, LogRow, type RowProps } from './log-row'

const HEADINGS = ['who', 'action', 'record', 'answer', 'rule', 'layer', 'status'] as const

/** The lines of the log by day, newest first; runs of identical lines are folded. */
export const LogTable = ({
  lines,
  added,
  ...row
}: Pick<RowProps, 'nameOf' | 'addressWith' | 'policyOff'> & {
  readonly lines: readonly LogEntry[]
  /** ids of lines that arrived while the page was open */
  readonly added: ReadonlySet<string>
}) => {
  const opened = useSignal<string | null>(null)
  const unfolded = useSignal<ReadonlySet<string>>(new Set())
  const isUnfolded = ({ alike }: Fold) => alike.some(({ id }) => unfolded.value.has(id))
  /** The button goes with its row: the first line in its place gets the focus. */
  const unfold = (alike: readonly LogEntry[]) => {
    const before = document.activeElement?.closest('tr')?.previousElementSibling
    unfolded.value = new Set([...unfolded.value, ...alike.map(({ id }) => id)])
    requestAnimationFrame(() => before?.nextElementSibling?.querySelector('button')?.focus())
  }
  /** What was opened stays in sight, though lines like it arrive above. */
  const turn = ({ id }: LogEntry) => {
    opened.value = opened.value === id ? null : id
    unfolded.value = new Set([...unfolded.value, id])
  }
  const rowOf = (line: LogEntry) => (
    <LogRow
      key={line.id}
      line={line}
      isOpen={opened.value === line.id}
      isFresh={added.has(line.id)}
      onTurn={turn}
      {...row}
    />
  )
  return (
    <table class="table log">
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">{t.decisions.columns.time}: </span>
            {timeZone()}
          </th>
          {HEADINGS.map((name) => (
            <th key={name} scope="col">
              {t.decisions.columns[name]}
            </th>
          ))}
        </tr>
      </thead>
      {byDay(lines, longDay).map(({ day, lines: ofDay }) => (
        <tbody key={day}>
          <tr class="day">
            <td colSpan={COLUMNS}>{day === longDay(Date.now()) ? t.decisions.today(day) : day}</td>
          </tr>
          {foldLines(ofDay).flatMap((fold) => {
            const { line, alike } = fold
            const oldest = alike.at(-1)
            if (oldest === undefined || isUnfolded(fold)) return [line, ...alike].map(rowOf)
            return [
              rowOf(line),
              <tr key={`fold ${line.id}`} class="fold">
                <td />
                <td colSpan={COLUMNS - 1}>
                  <Button kind="bare" icon="down" onPress={() => unfold(alike)}>
                    {t.decisions.alike(number(alike.length), clock(oldest.time))}
                  </Button>
                </td>
              </tr>,
            ]
          })}
        </tbody>
      ))}
    </table>
  )
}
