import { isObject } from '../../../domain/is-object.js'
import { oneOf, textIn } from '../../parts/narrow'
import type { Considered } from '../../parts/policy/rows-in-order'
import type { SentRow } from '../../parts/policy/row'

export interface Judged {
  readonly effect: 'allow' | 'deny'
  readonly considered: readonly Considered[]
  readonly notListed: number
}

export type Recorded =
  | { readonly is: 'code'; readonly why: string }
  | {
      readonly is: 'rows'
      readonly role: string
      readonly inherits: readonly string[]
      readonly endpoint: Judged
      /** null: not reached, and the record was never loaded */
      readonly object: Judged | null
      /** false: the rows of that revision would decide differently today, because model.conf has changed */
      readonly agrees: boolean
    }

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const isRow = (value: unknown): value is SentRow => isObject(value) && typeof value['ptype'] === 'string'

const OUTCOMES = ['does_not_match', 'decides', 'not_reached'] as const

const consideredIn = (value: unknown): readonly Considered[] =>
  listIn(value).flatMap((each) => {
    if (!isObject(each) || !isRow(each['row'])) return []
    const outcome = oneOf(OUTCOMES, each['outcome'])
    return outcome === undefined ? [] : [{ row: each['row'], outcome, why: textIn(each['why']) }]
  })

const judgedIn = (value: unknown): Judged | null => {
  if (!isObject(value)) return null
  const notListed = value['not_listed']
  return {
    effect: value['effect'] === 'allow' ? 'allow' : 'deny',
    considered: consideredIn(value['considered']),
    notListed: typeof notListed === 'number' ? notListed : 0,
  }
}

/** Reads an explanation from the log; null if the service has none. */
export const recordedIn = (sent: Readonly<Record<string, unknown>> | null): Recorded | null => {
  if (sent === null) return null
  const { why, role, agrees } = sent
  if (typeof why === 'string') return { is: 'code', why }
  const endpoint = judgedIn(sent['endpoint'])
  if (endpoint === null || typeof role !== 'string') return null
  const inherits = listIn(sent['inherits']).filter((name) => typeof name === 'string')
  return { is: 'rows', role, inherits, endpoint, object: judgedIn(sent['object']), agrees: agrees === true }
}
