import { isId } from '../../../domain/id.js'
import { t } from '../../language/language'
import type { LogLine } from './log-line'

/** The record of a line: a link by its code, a user by their name, anything else by its type. */
export const recordWords = ({ record }: LogLine, nameOf: (id: string | null) => string): string => {
  const { type, id, code } = record
  if (type === 'link') return code ?? (id === null ? '' : t.decisions.linkNumber(id))
  if (type === 'user' && isId(code)) return nameOf(code)
  return code === null ? '' : `${type} ${code}`
}

/** The users named in a line. */
export const usersIn = ({ who, record, change }: LogLine): readonly (string | null)[] => [
  who.id,
  record.type === 'user' && isId(record.code) ? record.code : null,
  isId(change?.['actor_id']) ? change['actor_id'] : null,
]
