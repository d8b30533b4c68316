import type { ManagedLink } from 'linkgate/client'

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

/** The settings of a link, in which two edits may differ. */
export type Settings = Pick<ManagedLink, SettingName>

/** Those that are fields of the form. */
export type Fields = Omit<Settings, 'active' | 'has_password'>

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

/** The differing settings, in the order shown. */
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
