/**
 * Matches a cell that a spreadsheet would run as a formula, or that already looks guarded: so guarding is reversible.
 */
const FORMULA = /^'*[=+\-@\t\r]/
const GUARDED = /^'+[=+\-@\t\r]/

/** Guards a cell of a CSV export against formula injection, with an apostrophe in front. */
export const guardCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** Undoes `guardCell`; CSV imports apply it to every cell. */
export const unguardCell = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell)

/** `guardCell` in SQL, for a column. */
export const guardedColumn = (column: string): string =>
  `case when substr(ltrim(${column}, ''''), 1, 1) in ('=', '+', '-', '@', e'\\t', e'\\r') ` +
  `then '''' || ${column} else ${column} end`
