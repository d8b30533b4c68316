import { fileURLToPath } from 'node:url'

import type { Command } from 'commander'

import { PACKAGE_ROOT } from '../../config.js'
import type { Cell } from '../../domain/decision-table.js'
import { escapeInLine } from '../../log/escape-invisible.js'
import { formatPolicyCsv } from '../../policy/csv.js'
import { findRevision, listRevisions, type Revision } from '../../policy/history.js'
import { DEFAULT_FILE } from '../../policy/installation.js'
import { PolicyError } from '../../policy/policy-error.js'
import { decisionTable, formatTableCsv } from '../../policy/table.js'
import { action, callerRole, count, jsonOption, revision } from '../arguments.js'
import { print, printFile } from '../print.js'
import { withProgress } from '../progress.js'
import { actionText, diffLines, renderTable, roleText } from './render.js'
import { withPolicy } from './session.js'

/** In a package it is not below the current folder. */
const SHIPPED_ROWS = new URL(DEFAULT_FILE, PACKAGE_ROOT)

/** Prints a file that `policy apply` accepts. */
export const exportCommand = (policy: Command) =>
  policy
    .command('export')
    .description('print the rows in force as CSV')
    .action(() =>
      withPolicy(async ({ stored: { lastGood } }) => {
        if (lastGood.revision === 0)
          throw new PolicyError(`no stored revision is good: apply a file, such as ${fileURLToPath(SHIPPED_ROWS)}`)
        printFile(formatPolicyCsv(lastGood))
      }),
    )

interface TableOptions {
  readonly role?: string
  readonly action?: string
  readonly json?: true
  readonly csv?: true
}

export const tableCommand = (policy: Command) =>
  policy
    .command('table')
    .description('print every decision that the rows in force make')
    .option('--role <role>', 'only decisions about this role', callerRole)
    .option('--action <action>', 'only decisions about this action, such as link:delete', action)
    .addOption(jsonOption())
    .option('--csv', 'print CSV')
    .action(({ json, csv, ...only }: TableOptions) =>
      withPolicy(async ({ stored: { lastGood } }) => {
        const cells = await withProgress('computing decisions', () => decisionTable(lastGood, only))
        if (json) print(JSON.stringify({ revision: lastGood.revision, decisions: cells }))
        else print(csv ? formatTableCsv(cells) : renderCells(cells))
      }),
    )

/** The decisions on own and others' records side by side. An anonymous caller owns none. */
const renderCells = (cells: readonly Cell[]): string => {
  const lines = new Map<string, [role: string, action: string, own: string, other: string, endpoint: string]>()
  for (const { role, action, relation, effect, rule, endpoint } of cells) {
    const key = `${role} ${action}`
    const line = lines.get(key) ?? [roleText(role), actionText(action), '-', '-', endpoint]
    line[relation === 'own' ? 2 : 3] = `${effect} ${rule}`
    lines.set(key, line)
  }
  return renderTable(['role', 'action', 'own record', "another's record", 'endpoint'], [...lines.values()])
}

interface HistoryOptions {
  readonly limit: number
  readonly json?: true
}

export const historyCommand = (policy: Command) =>
  policy
    .command('history')
    .description('print who changed the rows, when and why, newest first')
    .argument('[revision]', 'print this revision with its rows', revision)
    .option('--limit <count>', 'how many of the newest revisions', count(9_999), 50)
    .addOption(jsonOption())
    .action((one: number | undefined, { limit, json }: HistoryOptions) =>
      withPolicy(async ({ database }) => {
        if (one === undefined) {
          const { data } = await listRevisions(database, { limit })
          const lines = data.map((each) => [
            String(each.revision),
            each.time,
            byOf(each),
            `+${each.added.length} -${each.removed.length}`,
            String(each.comments.length),
            each.reason,
          ])
          return print(
            json
              ? JSON.stringify({ data })
              : renderTable(['revision', 'time', 'by', 'rows', 'comments', 'reason'], lines),
          )
        }
        const found = await findRevision(database, one)
        if (found === null) throw new PolicyError(`there is no policy revision ${one}`)
        if (json) return print(JSON.stringify(found))
        print(
          [
            `revision ${found.revision}, ${found.time}, by ${escapeInLine(byOf(found))}`,
            `reason: ${escapeInLine(found.reason)}`,
            ...diffLines(found.removed, found.added, found.comments),
          ].join('\n'),
        )
      }),
    )

/** Who made a revision, and with whose approval. */
const byOf = ({ actor, approved_by, proposal, without_approval }: Revision): string => {
  if (without_approval) return `${nameOf(actor)}, without approval`
  return approved_by === null ? nameOf(actor) : `${nameOf(actor)}, approved by ${nameOf(approved_by)} (${proposal})`
}

export const nameOf = ({ id, name }: { readonly id: string | null; readonly name: string | null }): string =>
  name ?? `user ${id ?? 'unknown'} (deleted)`
