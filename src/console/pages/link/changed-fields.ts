/** What a form of a link's settings holds. Times are ISO 8601 in UTC. */
export interface Fields {
  readonly target: string
  readonly code: string
  readonly title: string | null
  readonly note: string | null
  readonly tags: string[]
  readonly status: 301 | 302 | 307 | 308
  readonly starts_at: string | null
  readonly expires_at: string | null
  readonly max_visits: number | null
  readonly forward_query: boolean
}

/** Fields of a form take minutes: seconds that nobody touched are no change. */
const minuteOf = (time: string | null): string | null => time && new Date(time).toISOString().slice(0, 16)

/** A form may write the ends of lines in another way. */
const linesOf = (text: string | null): string => (text ?? '').replaceAll('\r\n', '\n')

/** The fields whose values differ, as the second has them. */
export const changedFields = (base: Fields, now: Fields): Partial<Fields> => ({
  ...(base.target !== now.target && { target: now.target }),
  ...(base.code !== now.code && { code: now.code }),
  ...(base.title !== now.title && { title: now.title }),
  ...(linesOf(base.note) !== linesOf(now.note) && { note: now.note }),
  ...(JSON.stringify(base.tags) !== JSON.stringify(now.tags) && { tags: now.tags }),
  ...(base.status !== now.status && { status: now.status }),
  ...(minuteOf(base.starts_at) !== minuteOf(now.starts_at) && { starts_at: now.starts_at }),
  ...(minuteOf(base.expires_at) !== minuteOf(now.expires_at) && { expires_at: now.expires_at }),
  ...(base.max_visits !== now.max_visits && { max_visits: now.max_visits }),
  ...(base.forward_query !== now.forward_query && { forward_query: now.forward_query }),
})

/** What the form does not hold as it is shown, and somebody else may have changed as well. */
export interface Settings extends Fields {
  readonly active: boolean
  readonly has_password: boolean
}

const NAMES = [
  'target',
  'code',
  'title',
  'tags',
  'active',
  'status',
  'starts_at',
  'expires_at',
  'max_visits',
  'has_password',
  'forward_query',
  'note',
] as const
export type SettingName = (typeof NAMES)[number]

/** Which settings differ, in the order in which they are shown. */
export const differences = (base: Settings, now: Settings): readonly SettingName[] => {
  const changed = new Set<string>(Object.keys(changedFields(base, now)))
  if (base.active !== now.active) changed.add('active')
  if (base.has_password !== now.has_password) changed.add('has_password')
  return NAMES.filter((name) => changed.has(name))
}

/** Two edits of the same link, setting by setting; `mine` and `theirs`: who changed it. */
export interface ConflictRow {
  readonly name: SettingName
  readonly mine: boolean
  readonly theirs: boolean
}

/**
 * What `mine` and `theirs` made of `base`. `setsPassword`: the form has a new password, or takes it away, which no
 * field shows.
 */
export const conflictRows = (
  base: Settings,
  mine: Settings,
  theirs: Settings,
  setsPassword: boolean,
): readonly ConflictRow[] => {
  const ofMine = new Set(differences(base, mine))
  if (setsPassword) ofMine.add('has_password')
  const ofTheirs = new Set(differences(base, theirs))
  return NAMES.filter((name) => ofMine.has(name) || ofTheirs.has(name)).map((name) => ({
    name,
    mine: ofMine.has(name),
    theirs: ofTheirs.has(name),
  }))
}
