import type { Replay } from 'linkgate/client'

/** How far back real decisions are replayed. */
export const WINDOWS = ['1h', '24h', '7d'] as const
export type Window = (typeof WINDOWS)[number]

/** A long window is replayed day by day: the newest day comes first, and the replay can be stopped. */
const PARTS: Readonly<Record<Window, { readonly window: string; readonly minutes: number; readonly parts: number }>> = {
  '1h': { window: '1h', minutes: 60, parts: 1 },
  '24h': { window: '24h', minutes: 1_440, parts: 1 },
  '7d': { window: '1d', minutes: 1_440, parts: 7 },
}

/** The queries of its parts; without `replay_until` one reaches until now. */
export const partsOf = (chosen: Window, now: number) => {
  const { window, minutes, parts } = PARTS[chosen]
  return Array.from({ length: parts }, (_, nth) => ({
    replay: window,
    replay_until: parts === 1 ? undefined : new Date(now - nth * minutes * 60_000).toISOString(),
  }))
}

const MOST_EXAMPLES = 20

/** The sum of replays. */
export const together = (replays: readonly Replay[]) => {
  const sum = (name: 'considered' | 'changed' | 'allow_to_deny' | 'deny_to_allow' | 'by_other_rule' | 'undetermined') =>
    replays.reduce((total, replay) => total + replay[name], 0)
  const turned = replays
    .flatMap(({ decisions }) => decisions)
    .filter(({ before, after }) => after !== null && after.effect !== before.effect)
  const counts = new Map<string | null, number>()
  for (const { id, count } of turned.flatMap(({ subjects }) => subjects)) counts.set(id, (counts.get(id) ?? 0) + count)
  return {
    considered: sum('considered'),
    changed: sum('changed'),
    allowToDeny: sum('allow_to_deny'),
    denyToAllow: sum('deny_to_allow'),
    byOtherRule: sum('by_other_rule'),
    undetermined: sum('undetermined'),
    /** users with a changed decision, those with the most first */
    users: [...counts].map(([id, count]) => ({ id, count })).sort((a, b) => b.count - a.count),
    /** whether all of them are among these */
    isEverybody:
      replays.every((replay) => replay.not_listed === 0) &&
      turned.every(({ users, subjects }) => users <= subjects.filter(({ id }) => id !== null).length),
    examples: replays
      .flatMap(({ examples }) => examples)
      .sort((a, b) => b.time.localeCompare(a.time))
      .slice(0, MOST_EXAMPLES),
  }
}
export type Replayed = ReturnType<typeof together>
