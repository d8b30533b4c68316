import type { ManagedLink } from 'linkgate/client'

import { toLocal } from '../../parts/local-time.js'

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

/** Forms may use other line endings. */
const linesOf = (text: string | null): string => (text ?? '').replaceAll('\r\n', '\n')

/**
 * The differing fields, with the values of the second. Times differ if a form shows them differently: it has neither
 * seconds nor a word for the second of two equal hours, in the night in which the clocks are set back.
 */
export const changedFields = (base: Fields, now: Fields): Partial<Fields> => ({
  ...(base.target !== now.target && { target: now.target }),
  ...(base.code !== now.code && { code: now.code }),
  ...(base.title !== now.title && { title: now.title }),
  ...(linesOf(base.note) !== linesOf(now.note) && { note: now.note }),
  ...(JSON.stringify(base.tags) !== JSON.stringify(now.tags) && { tags: now.tags }),
  ...(base.status !== now.status && { status: now.status }),
  ...(toLocal(base.starts_at) !== toLocal(now.starts_at) && { starts_at: now.starts_at }),
  ...(toLocal(base.expires_at) !== toLocal(now.expires_at) && { expires_at: now.expires_at }),
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
