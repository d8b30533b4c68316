import { isAction } from '../../../domain/action.js'
import { isId } from '../../../domain/id.js'
import { isCode } from '../../../domain/link.js'
import { DECIDING_LAYERS, ENTRY_KINDS, statusRange, type LogFilter } from '../../../domain/log-filter.js'
import { EFFECTS, RULE_LABEL } from '../../../domain/policy-row.js'
import { REQUEST_ID } from '../../../domain/request-id.js'
import { isEmail } from '../../../domain/user.js'
import { oneOf } from '../../parts/narrow.js'
import type { Term } from './query.js'
import { timeOf } from './time-of.js'

export const QUALIFIERS = [
  'user',
  'action',
  'link',
  'effect',
  'since',
  'until',
  'rule',
  'layer',
  'status',
  'revision',
  'request',
  'kind',
] as const
export type Qualifier = (typeof QUALIFIERS)[number]

/** What a search asks the log for. */
export type AskedLog = Omit<LogFilter, 'revision' | 'after'> & { readonly revision?: string }

export type TermFault = 'word' | 'unknown' | 'twice' | 'backwards' | Qualifier

const only = <Key extends keyof AskedLog>(key: Key, value: AskedLog[Key]): AskedLog | null =>
  value === undefined ? null : { [key]: value }

/**
 * A rule's label, in whatever case it is typed. One of letters alone has to be in capitals: in small letters it could
 * be the code of a refusal, which has neither digits nor hyphens.
 */
const ruleOf = (value: string): string | undefined => {
  const label = value.toUpperCase()
  const rule = RULE_LABEL.test(label) && !/^[a-z_]+$/.test(value) ? label : value
  return rule.length >= 1 && rule.length <= 64 ? rule : undefined
}

/** The query of each qualifier; null if its value is invalid. */
const MEANINGS: Readonly<Record<Qualifier, (value: string, now: number) => AskedLog | null>> = {
  user: (value) => only('user', isId(value) || isEmail(value) ? value : undefined),
  action: (value) => only('action', isAction(value) ? value : undefined),
  link: (value) => only('link', isCode(value) ? value : undefined),
  effect: (value) => only('effect', oneOf(EFFECTS, value)),
  rule: (value) => only('rule', ruleOf(value)),
  layer: (value) => only('layer', oneOf(DECIDING_LAYERS, value)),
  status: (value) => only('status', statusRange(value) === null ? undefined : value),
  revision: (value) => only('revision', /^\d{1,15}$/.test(value) ? value : undefined),
  request: (value) => only('request', REQUEST_ID.test(value) ? value : undefined),
  kind: (value) => only('kind', oneOf(ENTRY_KINDS, value)),
  since: (value, now) => only('from', timeOf(value, now, 'start') ?? undefined),
  until: (value, now) => only('to', timeOf(value, now, 'end') ?? undefined),
}

export const qualifierOf = (name: string | null): Qualifier | undefined =>
  name === null ? undefined : oneOf(QUALIFIERS, name)

const meaningOf = ({ name, value }: Term, before: readonly Term[], now: number): AskedLog | TermFault => {
  const qualifier = qualifierOf(name)
  if (qualifier === undefined) return name === null ? 'word' : 'unknown'
  if (before.some((other) => other.name === name)) return 'twice'
  return MEANINGS[qualifier](value, now) ?? qualifier
}

/** The query of a search, and the fault of each of its terms (null: none). */
export const readQuery = (
  terms: readonly Term[],
  now: number,
): { readonly asked: AskedLog; readonly faults: readonly (TermFault | null)[] } => {
  const meanings = terms.map((term, i) => meaningOf(term, terms.slice(0, i), now))
  const asked: AskedLog = Object.assign({}, ...meanings.filter((meaning) => typeof meaning === 'object'))
  const { from, to } = asked
  const isBackwards = from !== undefined && to !== undefined && from >= to
  return {
    asked,
    faults: meanings.map((meaning) => {
      if (typeof meaning !== 'object') return meaning
      return isBackwards && meaning.to !== undefined ? 'backwards' : null
    }),
  }
}
