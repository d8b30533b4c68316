import type { LogEntry } from 'linkgate/client'

import { textIn } from '../../parts/narrow.js'

/** The part of a log entry that is used here. */
type Said = Pick<LogEntry, 'id' | 'time' | 'kind' | 'action' | 'effect' | 'rule' | 'change'> & {
  readonly subject: Pick<LogEntry['subject'], 'id'>
}

/** An event of a link. Users by id; null: nobody. */
export type LinkEvent = { readonly id: string; readonly time: string; readonly who: string | null } & (
  | { readonly what: 'made' | 'restored' | 'changed' | 'deleted' }
  | { readonly what: 'renamed'; readonly from: string; readonly to: string }
  | { readonly what: 'given'; readonly from: string | null; readonly to: string | null }
  | { readonly what: 'refused'; readonly action: string; readonly rule: string }
)

const textOf = (value: unknown): string => textIn(value) ?? ''

/** The old and the new value of a change; null if it has none. */
const pairOf = (value: unknown): readonly [unknown, unknown] | null =>
  Array.isArray(value) && value.length === 2 ? [value[0], value[1]] : null

const DONE = {
  'link:create': 'made',
  'link:update': 'changed',
  'link:transfer': 'changed',
  'link:delete': 'deleted',
  added: 'made',
  changed: 'changed',
  deleted: 'deleted',
} as const

const isDone = (name: string): name is keyof typeof DONE => Object.hasOwn(DONE, name)

/** The event in a log entry; null for a mere read. */
export const eventOf = ({ id, time, kind, subject, action, effect, rule, change }: Said): LinkEvent | null => {
  const event = { id, time, who: subject.id }
  if (effect === 'deny') return { ...event, what: 'refused', action: action ?? '', rule: rule ?? '' }
  const code = pairOf(change?.['code'])
  if (code !== null) return { ...event, what: 'renamed', from: textOf(code[0]), to: textOf(code[1]) }
  const owner = pairOf(change?.['owner'])
  if (owner !== null) return { ...event, what: 'given', from: textIn(owner[0]), to: textIn(owner[1]) }
  if (change?.['restored'] === true) return { ...event, what: 'restored' }
  // changes by the command line have no action, but a description
  const name = kind === 'link' ? textOf(change?.['what']) : action
  return name !== null && isDone(name) ? { ...event, what: DONE[name] } : null
}

/** The newest events of several lists, each once, and each list newest first. */
export const newestOf = (lists: readonly (readonly Said[])[], most: number): readonly LinkEvent[] => {
  const events = new Map<string, LinkEvent>()
  for (const entry of lists.flat()) {
    const event = eventOf(entry)
    if (event !== null) events.set(entry.id, event)
  }
  return [...events.values()].sort((a, b) => Number(BigInt(b.id) - BigInt(a.id))).slice(0, most)
}
