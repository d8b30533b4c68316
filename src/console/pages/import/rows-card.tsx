import type { Signal } from '@preact/signals'

import type { SourceRecord } from '../../../import/source.js'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { save } from '../../parts/download'
import { useKeptFocus } from '../../parts/focus'
import { Note, ProblemNote } from '../../parts/note'
import { reasonFor } from '../../parts/service-rights'
import { say } from '../../parts/toast'
import type { Chosen } from './chosen'
import { countStates } from './counts'
import type { ImportJob } from './import-job'
import { mappedColumns, type Row } from './rows'
import { RowsTable } from './rows-table'
import { whyText } from './why-text'

/** The outcome of each row, and the button that runs the import. */
export const RowsCard = ({
  job,
  chosen,
  hasRun,
}: {
  readonly job: ImportJob
  readonly chosen: Chosen
  /** whether the import has started */
  readonly hasRun: Signal<boolean>
}) => {
  const rows = job.rows.value
  const phase = job.phase.value
  const counts = countStates(rows)
  const not = counts.conflict + counts.refused
  const left = counts.new + counts.open
  const run = () => {
    hasRun.value = true
    return job.run()
  }
  const isBusy = phase === 'checking' || phase === 'running'
  return (
    <Card title={t.imports.rows}>
      <div class="body stack">
        <ProblemNote problem={job.problem.value} />
        {isBusy && <Progress job={job} />}
        {phase === 'checked' && <p>{t.imports.checked(counts.new, counts.there, not)}</p>}
        {phase === 'stopped' && <p role="status">{t.imports.stopped(left)}</p>}
        {phase === 'done' && <Note kind="allow" title={t.imports.done(counts.made, counts.there, not)} />}
        <div class="row" {...useKeptFocus<HTMLDivElement>()}>
          {phase === 'running' && <Button onPress={job.stop}>{t.stop}</Button>}
          {phase === 'stopped' && !hasRun.value && (
            <Button kind="main" onPress={job.checkRest}>
              {t.imports.checkRest}
            </Button>
          )}
          {phase === 'stopped' && hasRun.value && (
            <Button kind="main" onPress={run}>
              {t.imports.goOn}
            </Button>
          )}
          {phase === 'checked' && (
            <Button
              kind="main"
              icon="import"
              off={reasonFor('link:create') ?? (counts.new === 0 ? t.imports.noneNew : null)}
              onPress={run}
            >
              {t.imports.import(counts.new)}
            </Button>
          )}
          {phase === 'done' && (
            <a class="button main" href="/console">
              {t.imports.toLinks}
            </a>
          )}
          {!isBusy && not > 0 && (
            <Button icon="download" onPress={() => downloadRefused(chosen, rows)}>
              {t.imports.download}
            </Button>
          )}
        </div>
      </div>
      <RowsTable rows={rows} counts={counts} />
    </Card>
  )
}

/** The progress, also for screen readers. */
const Progress = ({ job }: { readonly job: ImportJob }) => {
  const { done, of } = job.progress.value
  const text = job.phase.value === 'checking' ? t.imports.checking(done, of) : t.imports.importing(done, of)
  return (
    <div class="progress">
      <progress max={Math.max(of, 1)} value={done} aria-label={text} />
      <p role="status">{job.waits.value === null ? text : t.imports.waits(job.waits.value)}</p>
    </div>
  )
}

/** Saves the refused records unchanged, with the reasons, so that they can be fixed and imported again. */
const downloadRefused = async (
  { file: { name, columns, dialect }, map }: Chosen,
  rows: readonly Row[],
): Promise<void> => {
  const loaded = await import('../../../import/refused-text.js').catch(() => null)
  if (loaded === null) return say(t.notLoaded.why)
  const reasons = new Map<SourceRecord, readonly string[]>()
  for (const { record, outcome } of rows)
    if (outcome.is === 'conflict' || outcome.is === 'refused')
      reasons.set(record, [...(reasons.get(record) ?? []), whyText(outcome.why)])
  const { head, line } = loaded.refusedText({ columns, dialect }, mappedColumns(map))
  const lines = [...reasons].map(([record, why]) => line(record, why.join('; ')))
  const [ending, type] = columns === null ? ['ndjson', 'application/x-ndjson'] : ['csv', 'text/csv']
  save(`${name}.refused.${ending}`, new Blob([head, ...lines], { type }))
}
