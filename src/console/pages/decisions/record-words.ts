import { isId } from '../../../domain/id.js'
import type { LogEntry } from '../../api'
import { t } from '../../language/language'
import type { NameOf } from '../../parts/use-names'

/** The record of a line: a link by its code, a user by their name, anything else by its type. */
export const recordWords = ({ resource }: LogEntry, nameOf: NameOf): string => {
  const { type, id, code } = resource
  if (type === 'link') return code ?? (id === null ? '' : t.decisions.linkNumber(id))
  if (type === 'user' && isId(code)) return nameOf(code)
  return code === null ? '' : `${type} ${code}`
}

/** The users named in a line. */
export const usersIn = ({ subject, resource, change }: LogEntry): readonly (string | null)[] => [
  subject.id,
  resource.type === 'user' && isId(resource.code) ? resource.code : null,
  isId(change?.['actor_id']) ? change['actor_id'] : null,
]
