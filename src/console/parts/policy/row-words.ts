import { t } from '../../language/language'
import { policyRowIn, type SentRow } from './row'

/**
 * The row in a sentence. `rows`: the rows around it, which show whether it concerns only the rest, because an earlier
 * row already decides about a caller's own records.
 */
export const rowWords = (sent: SentRow, rows: readonly SentRow[] = []): string => {
  const row = policyRowIn(sent)
  if (row === null) return t.policy.unreadable
  if (row.ptype !== 'p' || row.reach !== 'any') return t.policy.row(row)
  const isRest = rows.some((each) => {
    const before = policyRowIn(each)
    return (
      before?.ptype === 'p' &&
      before.reach === 'own' &&
      before.priority < row.priority &&
      before.role === row.role &&
      before.action === row.action
    )
  })
  return t.policy.row(row, isRest)
}
