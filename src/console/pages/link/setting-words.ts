import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import type { SettingName, Settings } from './changed-fields'

/** The name of a setting. */
export const settingName = (name: SettingName): string => ({ ...t.fields, ...t.link.settings.names })[name]

/** The value of a setting, in words. */
export const settingWords = (name: SettingName, settings: Settings): string => {
  const words = t.link.settings
  switch (name) {
    case 'target':
    case 'code':
      return settings[name]
    case 'title':
    case 'note':
      return settings[name] ?? t.none
    case 'tags':
      return settings.tags.join(', ') || t.none
    case 'active':
      return t.links.states[settings.active ? 'active' : 'inactive']
    case 'status':
      return t.fields.statuses[settings.status]
    case 'starts_at':
      return settings.starts_at === null ? words.atOnce : dateAndTime(settings.starts_at)
    case 'expires_at':
      return settings.expires_at === null ? words.never : dateAndTime(settings.expires_at)
    case 'max_visits':
      return settings.max_visits === null ? words.noLimit : number(settings.max_visits)
    case 'has_password':
      return settings.has_password ? words.guarded : t.none
    case 'forward_query':
      return settings.forward_query ? words.passedOn : words.dropped
  }
}
