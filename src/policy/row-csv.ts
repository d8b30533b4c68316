import { parse } from 'csv-parse/sync'

import type { PolicyRow } from '../domain/policy-row.js'
import type { Fault } from '../domain/refusal.js'
import { parseRowTexts, rowKey, rowTexts } from './parse-row.js'
import type { Parsed } from './parse-row.js'

export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

/** Splits a commented CSV text (`#` to the end of a line is a comment) into records with the line each stands on. */
export const parseCsvRecords = (text: string): Parsed<readonly CsvRecord[]> => {
  try {
    const lines: number[] = []
    const records = parse(text, {
      comment: '#',
      comment_no_infix: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      bom: true,
      on_record: (fields: string[], context) => (lines.push(context.lines), fields),
    })
    return { ok: true, value: records.map((fields, i) => ({ line: lines[i] ?? 0, fields })) }
  } catch (error) {
    return { ok: false, faults: [{ field: 'csv', message: error instanceof Error ? error.message : 'cannot be read' }] }
  }
}

/**
 * Reads rows from CSV (`ptype, …fields`). Every fault names its line; one fault refuses the whole text. A row or a
 * priority that stands there twice is a fault: the table holds each once.
 */
export const parsePolicyCsv = (text: string): Parsed<readonly PolicyRow[]> => {
  const records = parseCsvRecords(text)
  if (!records.ok) return records
  const rows: PolicyRow[] = []
  const faults: Fault[] = []
  const rowLines = new Map<string, number>()
  const priorityLines = new Map<number, number>()
  for (const {
    line,
    fields: [ptype = '', ...texts],
  } of records.value) {
    const row = parseRowTexts(ptype, texts)
    if (row.ok) {
      const key = rowKey(row.value)
      const twin = rowLines.get(key)
      const rival = row.value.ptype === 'p' ? priorityLines.get(row.value.priority) : undefined
      if (twin !== undefined) faults.push({ field: `line ${line}`, message: `is the row of line ${twin} again` })
      else if (rival !== undefined)
        faults.push({ field: `line ${line}, priority`, message: `is also the priority of line ${rival}` })
      rowLines.set(key, line)
      if (row.value.ptype === 'p') priorityLines.set(row.value.priority, line)
      rows.push(row.value)
    } else
      faults.push(
        ...row.faults.map(({ field, message }) => ({ field: `line ${line}${field && `, ${field}`}`, message })),
      )
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: rows }
}

const HEADINGS = {
  p: '# ptype, priority, rule, role, action, reach, effect',
  p2: '# ptype, role, action',
  g: '# ptype, role, inherits',
} as const

/**
 * Writes rows as CSV that `parsePolicyCsv` reads back to the same rows; object rows in the order in which they decide.
 */
export const formatPolicyCsv = (rows: readonly PolicyRow[]): string => {
  const lines: string[] = []
  for (const ptype of ['p', 'p2', 'g'] as const) {
    const group = rows.filter((row) => row.ptype === ptype)
    lines.push(HEADINGS[ptype], ...group.map((row) => [ptype, ...rowTexts(row)].join(', ')), '')
  }
  return lines.join('\n')
}
