import type { FormatName } from '../../../import/formats.js'
import { columnName, type Field as FieldName } from '../../../import/words.js'
import { t } from '../../language/language'
import { Field } from '../../parts/field'
import { BY_FORMAT, LEFT_OUT, choiceOf, withChoice } from './column-choice'
import type { Mapping } from './rows'

/** The fields that a request may set; owner and time of creation are not among them. */
const FIELDS = [
  'target',
  'code',
  'title',
  'note',
  'tags',
  'starts_at',
  'expires_at',
  'max_visits',
  'status',
  'active',
  'forward_query',
  'password',
] as const satisfies readonly FieldName[]

/** Maps columns to fields. */
export const ColumnFields = ({
  columns,
  format,
  map,
  onChange,
}: {
  readonly columns: readonly string[]
  readonly format: FormatName
  readonly map: Mapping
  readonly onChange: (map: Mapping) => unknown
}) => {
  const named = columns.map((column) => ({ column, name: columnName(column) })).filter(({ name }) => name !== '')
  return (
    <div class="stack">
      <p class="hint">{t.imports.columnsHint}</p>
      <div class="fields">
        {FIELDS.map((field) => (
          <Field key={field} label={t.fields[field]}>
            {(names) => (
              <select
                {...names}
                value={choiceOf(field, columns, format, map)}
                onChange={({ currentTarget: { value } }) => onChange(withChoice(field, value, columns, format, map))}
              >
                {format !== 'csv' && <option value={BY_FORMAT}>{t.imports.asFormat(t.imports.formats[format])}</option>}
                <option value={LEFT_OUT}>{t.imports.leftOut}</option>
                {named.map(({ column, name }) => (
                  <option key={name} value={name}>
                    {column}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ))}
      </div>
    </div>
  )
}
