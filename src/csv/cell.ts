/**
 * The beginning of a cell that a spreadsheet would run as a formula, or that already looks guarded: so guarding is
 * reversible.
 */
const START = /^'*[=+@\t\r-]/

/**
 * The same in the middle of a cell, for programs that split at semicolons or tabs although the file has commas: to
 * them, quotes there mean nothing, and a line break ends the row.
 */
const INSIDE = /([;\t\r\n]"*)('*[=+@-])/g

const GUARDED_START = /^'+[=+@\t\r-]/
const GUARDED_INSIDE = /([;\t\r\n]"*)'('*[=+@-])/g

/** Guards a cell of a CSV export against formula injection, with an apostrophe before what would be a formula. */
export const guardCell = (text: string): string => {
  const guarded = text.replace(INSIDE, "$1'$2")
  return START.test(guarded) ? `'${guarded}` : guarded
}

/** Undoes `guardCell`; CSV imports apply it to every cell. */
export const unguardCell = (cell: string): string => {
  const text = cell.replace(GUARDED_INSIDE, '$1$2')
  return GUARDED_START.test(text) ? text.slice(1) : text
}

/** A pattern for PostgreSQL, whose syntax is the same for what these use. */
const sql = ({ source }: RegExp): string => source.replaceAll("'", "''")

/** `guardCell` in SQL, for a column. Most cells need nothing, and replacing takes longer than looking. */
export const guardedColumn = (column: string): string => {
  const guarded = String.raw`regexp_replace(${column}, '${sql(INSIDE)}', '\1''\2', 'g')`
  return (
    `case when ${column} ~ '${sql(START)}|${sql(INSIDE)}' ` +
    String.raw`then regexp_replace(${guarded}, '${sql(START)}', '''\&') else ${column} end`
  )
}
