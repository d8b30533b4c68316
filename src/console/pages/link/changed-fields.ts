/** The values of a link's settings form. Times are ISO 8601 in UTC. */
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

/** Form fields have a precision of minutes: seconds must not count as a change. */
const minuteOf = (time: string | null): string | null => time && new Date(time).toISOString().slice(0, 16)

/** Forms may use other line endings. */
const linesOf = (text: string | null): string => (text ?? '').replaceAll('\r\n', '\n')

/** The differing fields, with the values of the second. */
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

/** Settings that the form does not contain in this form, but that somebody else may have changed. */
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

export const differences = (base: Settings, now: Settings): readonly SettingName[] => {
  const changed = new Set<string>(Object.keys(changedFields(base, now)))
  if (base.active !== now.active) changed.add('active')
  if (base.has_password !== now.has_password) changed.add('has_password')
  return NAMES.filter((name) => changed.has(name))
}

/** Two concurrent edits of a link, setting by setting; `mine` and `theirs`: who changed it. */
export interface ConflictRow {
  readonly name: SettingName
  readonly mine: boolean
  readonly theirs: boolean
}

/**
 * The changes of `mine` and `theirs` to `base`. `setsPassword`: the form sets or removes the password, which no field
 * shows.
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
