import { parse } from 'csv-parse/sync'

import { unguardCell } from '../domain/csv-cell.js'
import type { PolicyRow } from '../domain/policy-row.js'
import type { Fault } from '../domain/refusal.js'
import { ROW_FIELDS, fault, parseRowTexts, rowText } from './parse-row.js'
import type { Parsed } from './parse-row.js'
import { PolicyError, describeFaults } from './policy-error.js'

/**
 * Parses a CSV file line by line; `#` begins a comment, and guarded cells are what they guard. Throws PolicyError
 * naming the file and the faults of all lines.
 */
export const parseCsv = <T>(
  file: string,
  text: string,
  parseLine: (fields: readonly string[], line: number) => Parsed<T>,
): readonly T[] => {
  const values: T[] = []
  const faults: Fault[] = []
  const addLine = (fields: string[], { lines: line }: { readonly lines: number }): null => {
    const parsed = parseLine(fields.map(unguardCell), line)
    if (parsed.ok) values.push(parsed.value)
    else
      for (const { field, message } of parsed.faults)
        faults.push({ field: `line ${line}${field && `, ${field}`}`, message })
    return null
  }
  try {
    parse(text, {
      comment: '#',
      comment_no_infix: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      bom: true,
      on_record: addLine,
    })
  } catch (error) {
    faults.push({ field: 'csv', message: error instanceof Error ? error.message : String(error) })
  }
  if (faults.length > 0) throw new PolicyError(`${file}: ${describeFaults(faults)}`)
  return values
}

/** Parses rows (`ptype, …fields`). A row or a priority that occurs twice is a fault. */
export const parsePolicyCsv = (file: string, text: string): readonly PolicyRow[] => {
  const linesByRow = new Map<string, number>()
  const linesByPriority = new Map<number, number>()
  return parseCsv(file, text, ([ptype = '', ...texts], line) => {
    const row = parseRowTexts(ptype, texts)
    if (!row.ok) return row
    const key = rowText(row.value)
    const twin = linesByRow.get(key)
    if (twin !== undefined) return fault(`is the same row as line ${twin}`)
    linesByRow.set(key, line)
    if (row.value.ptype !== 'p') return row
    const rival = linesByPriority.get(row.value.priority)
    if (rival !== undefined) return fault(`is also the priority of line ${rival}`, 'priority')
    linesByPriority.set(row.value.priority, line)
    return row
  })
}

/** Writes rows as CSV that `parsePolicyCsv` reads back. */
export const formatPolicyCsv = (rows: readonly PolicyRow[]): string =>
  [...ROW_FIELDS]
    .flatMap(([kind, fields]) => [
      `# ptype, ${fields.join(', ')}`,
      ...rows.filter(({ ptype }) => ptype === kind).map(rowText),
      '',
    ])
    .join('\n')
