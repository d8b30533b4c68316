import { isAction } from '../../../domain/action.js'
import {
  EFFECTS,
  REACHES,
  type EndpointRow,
  type InheritanceRow,
  type ObjectRow,
  type PolicyRow,
} from '../../../domain/policy-row.js'
import { oneOf } from '../narrow.js'

/** A row as the service sends it; one written by hand may be anything. */
export type SentRow = Readonly<Record<string, unknown>> & { readonly ptype: string }

/** A row while it is being typed; the service reports invalid values. */
export type TypedRow =
  | (Omit<ObjectRow, 'action'> & { readonly action: string })
  | (Omit<EndpointRow, 'action'> & { readonly action: string })
  | InheritanceRow

/** A row with any text as its action; null if its fields are not those of a row. */
export const typedRowIn = (sent: Readonly<Record<string, unknown>>): TypedRow | null => {
  const { ptype, priority, rule, role, action, inherits } = sent
  if (typeof role !== 'string') return null
  if (ptype === 'g') return typeof inherits === 'string' ? { ptype, role, inherits } : null
  if (typeof action !== 'string') return null
  if (ptype === 'p2') return { ptype, role, action }
  const [reach, effect] = [oneOf(REACHES, sent['reach']), oneOf(EFFECTS, sent['effect'])]
  if (ptype !== 'p' || typeof priority !== 'number' || typeof rule !== 'string' || !reach || !effect) return null
  return { ptype, priority, rule, role, action, reach, effect }
}

/** The row; null if it is outside the vocabulary. */
export const policyRowIn = (sent: SentRow): PolicyRow | null => {
  const row = typedRowIn(sent)
  if (row === null || row.ptype === 'g') return row
  const { action } = row
  return action === '*' || isAction(action) ? { ...row, action } : null
}

/** The row in file format; one outside the vocabulary as it was sent. */
export const rowText = (sent: SentRow): string => {
  const row = policyRowIn(sent)
  if (row === null) return [sent.ptype, ...Object.values(sent).slice(1).map(anyText)].join(', ')
  const { ptype, ...fields } = row
  return [ptype, ...Object.values(fields)].join(', ')
}
const anyText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
