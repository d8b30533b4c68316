/** The most entries that a poll returns. */
export const ASKED_ENTRIES = 50
/**
 * How many entries a page holds. It may stay open for days, and each poll is an entry of its own; beyond this, the list
 * is reloaded, which leaves the newest, with the cursor of those before.
 */
export const MOST_ENTRIES = 1_000

interface Entry {
  readonly id: string
  readonly request_id: string
}

export interface Tail<Each extends Entry = Entry> {
  readonly isPaused: boolean
  /** null: connected; `againIn`: the seconds until the next attempt, null if there is none */
  readonly lost: { readonly since: Date; readonly againIn: number | null } | null
  /** new entries that are not in the list yet, oldest first */
  readonly waiting: readonly Each[]
  /** how many of them are new to the reader: all but the log entries of their own polls */
  readonly fresh: number
  /** true if others may be missing between the list and these: it has to be reloaded */
  readonly hasGap: boolean
  /** ids of the entries that were added to the list since it was loaded */
  readonly added: ReadonlySet<string>
}

const NOTHING_WAITS = { waiting: [], fresh: 0, hasGap: false } as const
export const START: Tail<never> = { isPaused: false, lost: null, ...NOTHING_WAITS, added: new Set() }

/** Adds the response of a poll, newest first, to the entries that wait. */
export const receive = <Each extends Entry>(
  tail: Tail<Each>,
  response: readonly Each[],
  { items, next }: { readonly items: readonly Each[]; readonly next: string | null },
  isOwn: (requestId: string) => boolean,
): Tail<Each> => {
  const known = new Set([...items, ...tail.waiting].map(({ id }) => id))
  // entries older than the list come with its next page
  const oldest = next === null ? null : oldestOf(items)
  const isOlder = ({ id }: Each) => oldest !== null && BigInt(id) < oldest
  const fresh = response.filter((entry) => !known.has(entry.id) && !isOlder(entry))
  const waiting = [...tail.waiting, ...fresh.toReversed()]
  return {
    ...tail,
    lost: null,
    waiting: waiting.slice(-MOST_ENTRIES),
    fresh: tail.fresh + fresh.filter(({ request_id: id }) => !isOwn(id)).length,
    hasGap: tail.hasGap || fresh.length === ASKED_ENTRIES || waiting.length > MOST_ENTRIES,
  }
}

const oldestOf = (items: readonly Entry[]): bigint | null =>
  items
    .map(({ id }) => BigInt(id))
    .reduce<bigint | null>((least, id) => (least === null || id < least ? id : least), null)

/** Whether a list of this length has to be reloaded, because the waiting entries cannot be added to it. */
export const needsReload = ({ hasGap, waiting }: Tail, length: number): boolean =>
  hasGap || length + waiting.length > MOST_ENTRIES

/** The state after the waiting entries were added to the list, or after it was reloaded. */
export const shown = <Each extends Entry>(tail: Tail<Each>, isReloaded: boolean): Tail<Each> => ({
  ...tail,
  ...NOTHING_WAITS,
  added: isReloaded ? START.added : new Set([...tail.added, ...tail.waiting.map(({ id }) => id)]),
})
