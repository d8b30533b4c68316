import { Command } from 'commander'

import { decisionTable, formatTableCsv } from '../../policy/table.js'
import type { Cell } from '../../policy/table.js'
import { print } from '../session.js'
import { UsageError } from '../usage-error.js'
import { refusedInOneLine } from './commit.js'
import { withProgress } from '../progress.js'
import { actionText, renderTable, roleText } from './render.js'
import { withPolicy } from './session.js'

/** `linkgate policy table`: every decision that the rows in force can make. */
export const tableCommand = (): Command =>
  new Command('table')
    .description('print every decision that the rows in force make')
    .option('--role <role>', 'the decisions about one role')
    .option('--action <action>', 'the decisions about one action')
    .option('--json', 'as JSON, as GET /policy/decisions answers')
    .option('--csv', 'as CSV')
    .action(
      async ({
        json,
        csv,
        ...only
      }: {
        readonly json?: true
        readonly csv?: true
        readonly role?: string
        readonly action?: string
      }) => {
        if (json && csv) throw new UsageError('--json and --csv exclude each other')
        await withPolicy(async ({ stored: { lastGood } }) => {
          const cells = await withProgress('asking every decision', () =>
            refusedInOneLine(decisionTable(lastGood, only)),
          )
          if (json) print(JSON.stringify({ revision: lastGood.revision, decisions: cells }))
          else print(csv ? formatTableCsv(cells) : renderCells(cells))
        })
      },
    )

/** Both kinds of records side by side. A caller without a user owns none. */
const renderCells = (cells: readonly Cell[]): string => {
  const lines = new Map<string, [role: string, action: string, own: string, other: string, mayCall: string]>()
  for (const { role, action, relation, effect, rule, endpoint } of cells) {
    const key = `${role} ${action}`
    const line = lines.get(key) ?? [roleText(role), actionText(action), '-', '-', endpoint === 'allow' ? 'yes' : 'no']
    line[relation === 'own' ? 2 : 3] = `${effect} ${rule}`
    lines.set(key, line)
  }
  return renderTable(['role', 'action', 'own record', "another's record", 'may call'], [...lines.values()])
}
