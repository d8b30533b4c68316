import { FIELDS, codeOf, columnName, type ImportFormat } from '../words.js'

/** The output of `GET /links/export` (layers/4-data/link-export.ts), and any table with these column names. */
export const csv: ImportFormat = {
  what: 'a CSV with our column names, such as from GET /links/export, or its NDJSON',
  needs: { target: ['target'] },
  read: (cell) => {
    const words = Object.fromEntries(FIELDS.map((field) => [field, cell(columnName(field))]))
    return [{ ...words, code: codeOf(cell('code')) }]
  },
}
