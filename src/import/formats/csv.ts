import { FIELDS, codeOf, columnName } from '../words.js'
import type { ImportFormat } from '../words.js'

/** What `GET /links/export` writes (layers/4-data/link-export.ts), and any table with columns of these names. */
export const csv: ImportFormat = {
  what: 'a CSV with our column names, such as GET /links/export writes; its NDJSON as well',
  needs: { target: ['target'] },
  read: (cell) => {
    const words = Object.fromEntries(FIELDS.map((field) => [field, cell(columnName(field))]))
    return [{ ...words, code: codeOf(cell('code')) }]
  },
}
