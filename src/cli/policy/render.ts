import type { CellChange, Outcome } from '../../domain/decision-table.js'
import { ENGINE_ROLES } from '../../domain/role.js'
import type { CommentChange } from '../../policy/comments.js'
import type { HistoryRow } from '../../policy/history.js'
import { rowText } from '../../policy/parse-row.js'
import { escapeInLine } from '../../log/escape-invisible.js'
import { counted } from '../../domain/counted.js'

/** How many rows are measured for the column widths: a call takes a limited number of arguments. */
const MAX_MEASURED = 10_000

/** Aligned columns, for people and for `cut` and `grep`. */
export const renderTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [head.map((title) => title.toUpperCase()), ...rows.map((row) => row.map(escapeInLine))]
  const widths = head.map((_, i) => Math.max(...lines.slice(0, MAX_MEASURED).map((row) => row[i]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((text, i) => text.padEnd(widths[i] ?? 0)).join('  ')
  return lines.map((row) => line(row).trimEnd()).join('\n')
}

interface Comment extends Pick<CommentChange, 'before' | 'after'> {
  readonly row: HistoryRow
}

/** Added and removed rows, and their comments, as lines of a diff. */
export const diffLines = (
  removed: readonly HistoryRow[],
  added: readonly HistoryRow[],
  comments: readonly Comment[],
): readonly string[] => [
  ...removed.map((row) => `- ${historyText(row)}`),
  ...added.map((row) => `+ ${historyText(row)}`),
  ...comments.map(({ row, before, after }) => `# ${historyText(row)}: ${commentText(before)} -> ${commentText(after)}`),
]

const historyText = (row: HistoryRow): string =>
  'unreadable' in row ? `${row.ptype}, ${JSON.stringify(row.unreadable)} (not a row)` : rowText(row)

const commentText = (comment: string | null): string => (comment === null ? 'none' : JSON.stringify(comment))

/** Names for the role and the action that stand for all unnamed ones. */
export const roleText = (role: string): string => (role === ENGINE_ROLES.user ? 'any other role' : role)
export const actionText = (action: string): string => (action === '*' ? 'any other action' : action)

const outcomeText = ({ effect, rule, endpoint }: Outcome): string =>
  `${effect} ${rule}${endpoint === 'deny' ? ' (endpoint: deny)' : ''}`

export const RECORD = { anonymous: '-', own: 'own', other: "another's" } as const

/** The changed decisions, one per line, and their number. */
export const renderChanges = (changes: readonly CellChange[]): string => {
  if (changes.length === 0) return 'no decision changes'
  const rows = changes.map(({ role, action, relation, before, after }) => [
    roleText(role),
    actionText(action),
    RECORD[relation],
    outcomeText(before),
    outcomeText(after),
  ])
  const changed = (from: string, to: string) =>
    changes.filter(({ before, after }) => before.effect === from && after.effect === to).length
  const verb = changes.length === 1 ? 'changes' : 'change'
  return [
    renderTable(['role', 'action', 'record', 'before', 'after'], rows),
    `${counted(changes.length, 'decision')} ${verb}: ` +
      `${changed('deny', 'allow')} from deny to allow, ${changed('allow', 'deny')} from allow to deny`,
  ].join('\n')
}
