import { storedTarget } from '../../../domain/url.js'
import type { SourceRecord } from '../../../import/source.js'
import { booleanOf, typedFields, unstorableIn } from '../../../import/typed-fields.js'
import { wordsOf } from '../../../import/words-of.js'
import type { Field, ImportFormat, Words } from '../../../import/words.js'
import { MOST_BYTES, bytesOf } from '../../parts/chunks.js'
import type { Outcome, Why } from './outcome.js'

/** A link to create; the service reports its faults. */
export type Item = Readonly<Record<string, unknown>>

/** One link of the file. A record may contain several. */
export interface Row {
  /** its place among the rows */
  readonly at: number
  /** its place in the file */
  readonly place: string
  readonly record: SourceRecord
  /** empty: generated */
  readonly code: string
  readonly target: string
  readonly item: Item
  /** a new password, which needs its own request; empty: none */
  readonly password: string
  /** true if it had one that is not in the file */
  readonly lacksPassword: boolean
  readonly outcome: Outcome
}

/** Columns by our fields, overriding the format; null: the field is left out. */
export type Mapping = ReadonlyMap<Field, string | null>

/** Columns mapped by the user. */
export const mappedColumns = (map: Mapping): ReadonlySet<string> =>
  new Set([...map.values()].filter((column) => column !== null))

/** The links of a file, with everything known without a request. */
export const rowsOf = (records: readonly SourceRecord[], format: ImportFormat, map: Mapping): readonly Row[] => {
  const rows: Row[] = []
  const earlier = createEarlier()
  const taken = mappedColumns(map)
  for (const record of records) {
    const read = wordsOf(record, format, map, taken)
    if ('reason' in read) rows.push(rowOf(rows.length, record, {}, refused({ is: 'text', text: read.reason })))
    else
      for (const words of read) {
        const row = rowOf(rows.length, record, words, { is: 'open' })
        rows.push({ ...row, outcome: faultOf(words, row) ?? earlier(row) ?? row.outcome })
      }
  }
  return rows
}

const refused = (why: Why): Outcome => ({ is: 'refused', why })

const rowOf = (at: number, record: SourceRecord, words: Words, outcome: Outcome): Row => {
  const { id: _, owner_id: __, created_at: ___, updated_at: ____, has_password: guarded = '', ...texts } = words
  const { password = '', ...others } = texts
  return {
    at,
    place: record.place,
    record,
    code: words.code ?? '',
    target: storedTarget(words.target ?? ''),
    item: typedFields(others),
    password,
    lacksPassword: booleanOf(guarded) === true && password === '',
    outcome,
  }
}

const faultOf = (words: Words, { item }: Row): Outcome | null => {
  const unstorable = unstorableIn(words)
  if (unstorable !== undefined)
    return refused({ is: 'text', text: `${unstorable} holds a character that cannot be stored` })
  if (!words.target) return refused({ is: 'no target' })
  return bytesOf(item) > MOST_BYTES ? refused({ is: 'too long' }) : null
}

/** Finds rows whose code, or without a code whose target, an earlier row has. */
const createEarlier = (): ((row: Row) => Outcome | null) => {
  const byCode = new Map<string, Row>()
  const byTarget = new Map<string, Row>()
  return (row) => {
    const { code, target } = row
    const before = code === '' ? byTarget.get(target) : byCode.get(code)
    if (before?.target === target) return { is: 'there', line: before.place }
    if (before !== undefined) return { is: 'conflict', why: { is: 'line', place: before.place } }
    if (code !== '') byCode.set(code, row)
    if (!byTarget.has(target)) byTarget.set(target, row)
    return null
  }
}
