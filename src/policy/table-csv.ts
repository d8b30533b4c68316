import { stringify } from 'csv-stringify/sync'

import type { Cell } from './table.js'

/** The decision table as CSV, for a spreadsheet or a diff. */
export const formatTableCsv = (cells: readonly Cell[]): string =>
  stringify(
    cells.map(({ role, action, relation, effect, rule, endpoint }) => [role, action, relation, effect, rule, endpoint]),
    {
      header: true,
      columns: ['role', 'action', 'relation', 'effect', 'rule', 'endpoint'],
    },
  )
