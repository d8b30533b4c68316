/** A cell that a spreadsheet takes for a formula, or that looks guarded already, so that guarding can be undone. */
const FORMULA = /^'*[=+\-@\t\r]/
const GUARDED = /^'+[=+\-@\t\r]/

/** A text as a cell of our CSV exports: with an apostrophe before it where a spreadsheet would run it as a formula. */
export const guardCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The text of a guarded cell: what every import of ours does with every cell. */
export const unguardCell = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell)

/** `guardCell` of a column, in SQL. */
export const guardedColumn = (column: string): string =>
  `case when substr(ltrim(${column}, ''''), 1, 1) in ('=', '+', '-', '@', e'\\t', e'\\r') ` +
  `then '''' || ${column} else ${column} end`
