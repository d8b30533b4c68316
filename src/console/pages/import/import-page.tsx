import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

import { FORMATS } from '../../../import/formats.js'
import { UnreadableFile } from '../../../import/source.js'
import { t } from '../../language/language'
import { Note } from '../../parts/note'
import { Page } from '../../parts/page'
import { useUnsaved } from '../../parts/unsaved'
import { missingIn, namesIn, type Chosen } from './chosen'
import { detectFormat } from './detect-format'
import { FileCard } from './file-card'
import { createImportJob } from './import-job'
import { importService } from './import-service'
import { MOST_FILE_BYTES, NotLoaded, readFile } from './read-file'
import { rowsOf } from './rows'
import { RowsCard } from './rows-card'

/** Why nothing of a file could be read. Any other error is a bug, and is rethrown. */
const faultOf = ({ name }: File, error: unknown): string => {
  if (error instanceof NotLoaded) return t.notLoaded.why
  if (error instanceof UnreadableFile) return t.imports.unreadable(name, error.message)
  throw error
}

/** Imports a file: checks each row, then creates its link. */
export const ImportPage = () => {
  const [job] = useState(() => createImportJob(importService))
  const chosen = useSignal<Chosen | null>(null)
  const fault = useSignal<string | null>(null)
  const reading = useSignal<File | null>(null)
  const hasRun = useSignal(false)

  const isReading = reading.value !== null
  const isRunning = job.phase.value === 'running'
  const question = useUnsaved(() => job.phase.peek() === 'running', job.stop, t.imports.unfinished)
  useEffect(
    () => () => {
      reading.value = null
      job.stop()
    },
    [],
  )

  const check = (next: Chosen) => {
    chosen.value = next
    hasRun.value = false
    const { file, format, map } = next
    void job.check(missingIn(next) === undefined ? rowsOf(file.records, FORMATS[format], map) : [])
  }
  const choose = async (given: File) => {
    fault.value = null
    if (given.size > MOST_FILE_BYTES) {
      fault.value = t.imports.tooLarge(given.name, MOST_FILE_BYTES / 1_024 / 1_024)
      return
    }
    reading.value = given
    // another file was chosen meanwhile, or the page was left
    const isOver = () => reading.peek() !== given
    try {
      const file = await readFile(given)
      if (!isOver()) check({ file, format: detectFormat(namesIn(file)), map: new Map() })
    } catch (error) {
      if (!isOver()) fault.value = faultOf(given, error)
    } finally {
      if (!isOver()) reading.value = null
    }
  }

  return (
    <Page title={t.nav.import}>
      {question}
      <p class="lead">{t.imports.lead}</p>
      {fault.value !== null && <Note kind="deny" title={fault.value} />}
      <FileCard chosen={chosen.value} isReading={isReading} isLocked={isRunning} onFile={choose} onChange={check} />
      {chosen.value !== null && !isReading && missingIn(chosen.value) === undefined && (
        <RowsCard job={job} chosen={chosen.value} hasRun={hasRun} />
      )}
    </Page>
  )
}
