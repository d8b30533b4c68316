import Table from 'cli-table3'

import { ENGINE_ROLES } from '../../domain/role.js'
import type { CellChange, Outcome } from '../../policy/table.js'

/** A table with lines on a terminal; columns that `cut` and `grep` can take in a pipe. */
export const renderTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  onTerminal = process.stdout.isTTY === true,
): string => {
  if (onTerminal && rows.length <= MOST_LINED) {
    const table = new Table({ head: [...head], style: { head: [], border: [] } })
    for (const row of rows) table.push([...row])
    return table.toString()
  }
  const widths = head.map((title, i) =>
    Math.max(title.length, ...rows.slice(0, MEASURED).map((row) => row[i]?.length ?? 0)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((text, i) => (i === row.length - 1 ? text : text.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(head.map((title) => title.toUpperCase())), ...rows.map(line)].join('\n')
}

/** Rows that are drawn with lines; cli-table3 runs out of stack with very many. */
const MOST_LINED = 2_000

/** Rows of which the widths are taken; a call takes no more arguments than fit on the stack. */
const MEASURED = 10_000

export { rowText } from '../../policy/parse-row.js'

/** The names that stand for all that nobody named. */
export const roleText = (role: string): string => (role === ENGINE_ROLES.user ? 'any other role' : role)
export const actionText = (action: string): string => (action === '*' ? 'any other action' : action)

export const outcomeText = ({ effect, rule, endpoint }: Outcome): string =>
  `${effect} ${rule}${endpoint === 'deny' ? ', not let in' : ''}`

export const RECORD = { anonymous: '-', own: 'own', other: "another's" } as const

/** Decisions that change, one a line, and a sentence that says how many. */
export const renderChanges = (changes: readonly CellChange[], onTerminal?: boolean): string => {
  if (changes.length === 0) return 'no decision changes'
  const rows = changes.map(({ role, action, relation, before, after }) => [
    roleText(role),
    actionText(action),
    RECORD[relation],
    outcomeText(before),
    outcomeText(after),
  ])
  const opened = changes.filter(({ before, after }) => before.effect === 'deny' && after.effect === 'allow').length
  const closed = changes.filter(({ before, after }) => before.effect === 'allow' && after.effect === 'deny').length
  return `${renderTable(['role', 'action', 'record', 'before', 'after'], rows, onTerminal)}\n${counted(changes.length, 'decision')} ${changes.length === 1 ? 'changes' : 'change'}: ${opened} from deny to allow, ${closed} from allow to deny`
}

export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`
