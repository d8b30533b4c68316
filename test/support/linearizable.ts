/** What one link is: its target, or null where there is none. */
export type State = string | null

/** One operation on one link, as its client saw it. Times are of one clock. */
export interface Operation {
  readonly kind: 'create' | 'update' | 'delete' | 'read'
  /** what a creation or an update writes, and what a read found (null: 404) */
  readonly value: State
  readonly start: number
  /** Infinity: the answer was lost, and it may have happened at any time after its start, or never */
  readonly end: number
  /** whether it did what it was asked to; undefined where the answer was lost */
  readonly done: boolean | undefined
}

/** What follows from an operation on a state; undefined where its answer would be another one there. */
const apply = ({ kind, value, done }: Operation, state: State): State | undefined => {
  if (kind === 'read') return value === state ? state : undefined
  const exists = state !== null
  const can = kind === 'create' ? !exists : exists
  if (done !== undefined && done !== can) return undefined
  if (!can) return state
  return kind === 'delete' ? null : value
}

/**
 * Whether there is one order of all operations on a link that agrees with every answer and with real time: what ended
 * before another began comes before it (Herlihy and Wing). The search is that of Wing and Gong, with the states that it
 * has tried. Answers the operation that no order can explain; null where there is an order.
 */
export const findUnexplained = (history: readonly Operation[], initial: State = null): Operation | null => {
  const observed = new Set(history.filter(({ kind }) => kind === 'read').map(({ value }) => value))
  // An update that may never have happened, and whose value nobody saw, explains nothing: it can be left out.
  const operations = history
    .filter(({ kind, done, value }) => kind !== 'update' || done !== undefined || observed.has(value))
    .toSorted((a, b) => a.start - b.start)
  const tried = new Set<string>()
  let furthest = 0

  /** `first`: all before it are placed; `later`: those after it that are placed as well. */
  const search = (first: number, later: ReadonlySet<number>, state: State): boolean => {
    while (later.has(first)) {
      const rest = new Set(later)
      rest.delete(first)
      return search(first + 1, rest, state)
    }
    furthest = Math.max(furthest, first)
    if (first === operations.length) return true
    const key = `${first} ${[...later].sort((a, b) => a - b).join()} ${state}`
    if (tried.has(key)) return false
    tried.add(key)
    // whatever began before the earliest end of those that are not placed may be next
    let earliestEnd = Number.POSITIVE_INFINITY
    for (let i = first; i < operations.length && (operations[i]?.start ?? 0) <= earliestEnd; i += 1) {
      const operation = operations[i]
      if (operation === undefined || later.has(i)) continue
      earliestEnd = Math.min(earliestEnd, operation.end)
      const next = apply(operation, state)
      if (next !== undefined && search(first, new Set(later).add(i), next)) return true
      // a lost answer: it may not have happened at all
      if (operation.done === undefined && next !== state && search(first, new Set(later).add(i), state)) return true
    }
    return false
  }
  return search(0, new Set(), initial) ? null : (operations[furthest] ?? null)
}
