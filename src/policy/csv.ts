import { parse } from 'csv-parse/sync'

import { unguardCell } from '../csv/cell.js'
import { messageOf } from '../domain/thrown.js'
import type { PolicyRow } from '../domain/policy-row.js'
import type { Fault } from '../domain/refusal.js'
import { CommentText } from './comment-text.js'
import { commentedRows, type CommentedRows } from './comments.js'
import { HEADINGS, TITLE } from './csv-headings.js'
import { fault, parseRowTexts, rowText, type EditedRow, type Parsed } from './parse-row.js'
import { PolicyError, describeFaults } from './policy-error.js'

/**
 * Parses a CSV file line by line. `#` starts a comment, and guarded cells are unguarded. `parseLine` also gets the
 * comment lines directly above its record, as written. Throws PolicyError with the file and the faults of all lines.
 */
export const parseCsv = <T>(
  file: string,
  text: string,
  parseLine: (fields: readonly string[], line: number, comment: string) => Parsed<T>,
): readonly T[] => {
  const values: T[] = []
  const faults: Fault[] = []
  // a file may have the line endings of two systems, and no line may be lost between them
  const unix = text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n')
  const lines = unix.split('\n')
  const addLine = (fields: string[], { lines: line }: { readonly lines: number }): null => {
    const parsed = parseLine(fields.map(unguardCell), line, commentAbove(lines, line - 1))
    if (parsed.ok) values.push(parsed.value)
    else
      for (const { field, message } of parsed.faults)
        faults.push({ field: `line ${line}${field && `, ${field}`}`, message })
    return null
  }
  try {
    parse(unix, {
      comment: '#',
      comment_no_infix: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      record_delimiter: '\n',
      on_record: addLine,
    })
  } catch (error) {
    faults.push({ field: 'csv', message: messageOf(error) })
  }
  if (faults.length > 0) throw new PolicyError(`${file}: ${describeFaults(faults)}`)
  return values
}

const COMMENT_LINE = /^\s*# ?(.*)$/s

/** The text of the comment lines directly above a line, up to the first empty line. */
const commentAbove = (lines: readonly string[], index: number): string => {
  const found: string[] = []
  for (let i = index - 1; i >= 0; i -= 1) {
    const [, text] = COMMENT_LINE.exec(lines[i] ?? '') ?? []
    if (text === undefined) break
    found.unshift(unguardLine(text))
  }
  return found.join('\n')
}

/** An apostrophe stops a spreadsheet from reading part of a comment line as a formula. */
const guardLine = (line: string): string => line.replace(/([,;\t]\s*"?)('*[=+\-@])/g, "$1'$2")
const unguardLine = (line: string): string => line.replace(/([,;\t]\s*"?)'('*[=+\-@])/g, '$1$2')

/**
 * Parses rows (`ptype, …fields`), each with the comment lines directly above it. Duplicate rows and duplicate
 * priorities are faults.
 */
export const parsePolicyCsv = (file: string, text: string): CommentedRows => {
  const linesByRow = new Map<string, number>()
  const linesByPriority = new Map<number, number>()
  const edited = parseCsv(file, text, ([ptype = '', ...texts], line, above): Parsed<EditedRow> => {
    const row = parseRowTexts(ptype, texts)
    if (!row.ok) return row
    const key = rowText(row.value)
    const twin = linesByRow.get(key)
    if (twin !== undefined) return fault(`is the same row as line ${twin}`)
    linesByRow.set(key, line)
    if (row.value.ptype === 'p') {
      const rival = linesByPriority.get(row.value.priority)
      if (rival !== undefined) return fault(`is also the priority of line ${rival}`, 'priority')
      linesByPriority.set(row.value.priority, line)
    }
    const comment = CommentText.safeParse(above)
    if (comment.success) return { ok: true, value: { row: row.value, comment: comment.data || null } }
    const rules = comment.error.issues.map(({ message }) => message).join(', ')
    return fault(`${rules}; an empty line below it keeps it out of the policy`, 'the comment above')
  })
  return commentedRows(edited)
}

/** Writes rows and comments as CSV that `parsePolicyCsv` reads back. */
export const formatPolicyCsv = ({ rows, comments }: CommentedRows): string => {
  const commentLines = (text: string) =>
    text.split(/\r\n|[\r\n]/).map((line) => `# ${guardLine(line)}`.replace(/^# $/, '#'))
  const rowLines = (row: PolicyRow, place: number): readonly string[] => {
    const found = comments.get(rowText(row))
    if (found === undefined) return [rowText(row)]
    return [...(place === 0 ? [] : ['']), ...commentLines(found.comment), rowText(row)]
  }
  const sections = [...HEADINGS].map(([kind, heading]) =>
    [...commentLines(heading.join('\n')), '', ...rows.filter(({ ptype }) => ptype === kind).flatMap(rowLines)].join(
      '\n',
    ),
  )
  return `# ${TITLE}\n\n${sections.join('\n\n')}\n`
}
