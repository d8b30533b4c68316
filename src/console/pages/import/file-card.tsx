import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { ignoredColumns } from '../../../import/columns.js'
import { FORMAT_NAMES } from '../../../import/formats.js'
import { t } from '../../language/language'
import { BusyBar } from '../../parts/busy-bar'
import { Card } from '../../parts/card'
import { Field, Options } from '../../parts/field'
import { FileButton } from '../../parts/file-button'
import { Icon } from '../../parts/icon'
import { oneOf } from '../../parts/narrow'
import { Note } from '../../parts/note'
import { missingIn, type Chosen } from './chosen'
import { ColumnFields } from './column-fields'
import { mappedColumns } from './rows'

/** The file, its format, and the mapping of its columns. */
export const FileCard = ({
  chosen,
  isReading,
  isLocked,
  onFile,
  onChange,
}: {
  readonly chosen: Chosen | null
  readonly isReading: boolean
  /** true while links are being created */
  readonly isLocked: boolean
  readonly onFile: (file: File) => unknown
  readonly onChange: (chosen: Chosen) => unknown
}) => {
  if (chosen === null) return <Drop isReading={isReading} onFile={onFile} />
  const { file, format, map } = chosen
  const missing = missingIn(chosen)
  const ignored = file.columns !== null && format === 'csv' ? ignoredColumns(file.columns, mappedColumns(map)) : []
  return (
    <Card
      title={file.name}
      actions={
        <>
          <span class="caption">{t.imports.records(file.records.length)}</span>
          {!isLocked && (
            <FileButton label={t.imports.choose} accept={ACCEPTED} onFile={onFile}>
              {t.imports.another}
            </FileButton>
          )}
        </>
      }
    >
      {isReading && <BusyBar label={t.imports.reading} />}
      <fieldset class="body stack" disabled={isLocked}>
        {file.fault !== null && <Note kind="lit" title={t.imports.readInPart(file.fault)} />}
        {missing !== undefined && (
          <Note kind="lit" title={t.imports.missing(missing === 'code' ? t.fields.code : t.fields.target)} />
        )}
        <div class="import-format">
          <Field label={t.imports.format} hint={t.imports.yours}>
            {(names) => (
              <select
                {...names}
                value={format}
                onChange={({ currentTarget: { value } }) => {
                  const name = oneOf(FORMAT_NAMES, value)
                  if (name !== undefined) onChange({ file, format: name, map: new Map() })
                }}
              >
                <Options names={FORMAT_NAMES} words={(name) => t.imports.formats[name]} />
              </select>
            )}
          </Field>
        </div>
        <Columns chosen={chosen} onChange={onChange} />
        {ignored.length > 0 && <p class="hint">{t.imports.ignored(ignored)}</p>}
      </fieldset>
    </Card>
  )
}

/** Folded if the format knows its columns. */
const Columns = ({ chosen, onChange }: { readonly chosen: Chosen; readonly onChange: (chosen: Chosen) => unknown }) => {
  const { file, format, map } = chosen
  const isOpen = useSignal(false)
  useEffect(() => {
    isOpen.value = missingIn(chosen) !== undefined
  }, [file])
  if (file.columns === null) return null
  return (
    <details
      class="columns"
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>{t.imports.columns}</summary>
      <ColumnFields
        columns={file.columns}
        format={format}
        map={map}
        onChange={(changed) => onChange({ ...chosen, map: changed })}
      />
    </details>
  )
}

const ACCEPTED = '.csv,.tsv,.txt,.json,.ndjson,.jsonl,text/csv,application/json'

const Drop = ({ isReading, onFile }: { readonly isReading: boolean; readonly onFile: (file: File) => unknown }) => {
  const isOver = useSignal(false)
  return (
    <div
      class={isOver.value ? 'card drop over' : 'card drop'}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        const file = event.dataTransfer?.files[0]
        if (file !== undefined) void onFile(file)
      }}
    >
      <Icon name="import" />
      <strong>{isReading ? t.imports.reading : t.imports.drop}</strong>
      <p class="caption">{t.imports.dropHint}</p>
      <FileButton kind="main" label={t.imports.choose} accept={ACCEPTED} onFile={onFile}>
        {t.imports.choose}
      </FileButton>
    </div>
  )
}
