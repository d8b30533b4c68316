import { isAction } from '../../../domain/action.js'
import { EFFECTS, REACHES } from '../../../domain/policy-row.js'
import type { PolicyRow } from '../../../domain/policy-row.js'

/** A row as the service sends it; one written by hand may be anything. */
export type SentRow = Readonly<Record<string, unknown>> & { readonly ptype: string }

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name | undefined =>
  names.find((name) => name === value)

/** The row; null if it is outside the vocabulary. */
export const policyRowIn = (sent: SentRow): PolicyRow | null => {
  const { ptype, role, action: named, priority } = sent
  if (typeof role !== 'string') return null
  if (ptype === 'g') {
    const inherits = text(sent['inherits'])
    return inherits === null ? null : { ptype, role, inherits }
  }
  const action = named === '*' || isAction(named) ? named : undefined
  if (action === undefined) return null
  if (ptype === 'p2') return { ptype, role, action }
  const [reach, effect, rule] = [oneOf(REACHES, sent['reach']), oneOf(EFFECTS, sent['effect']), text(sent['rule'])]
  if (ptype !== 'p' || typeof priority !== 'number' || rule === null || !reach || !effect) return null
  return { ptype, priority, rule, role, action, reach, effect }
}

/** The row in file format; one outside the vocabulary as it was sent. */
export const rowText = (sent: SentRow): string => {
  const row = policyRowIn(sent)
  if (row === null) return [sent.ptype, ...Object.values(sent).slice(1).map(anyText)].join(', ')
  const { ptype, ...fields } = row
  return [ptype, ...Object.values(fields)].join(', ')
}
const anyText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
