import { isObject } from '../../../domain/is-object.js'
import { textIn } from '../../parts/narrow.js'

export interface RevisionLine {
  readonly revision: number
  readonly reason: string
  readonly time: string
  /** null: a deleted user */
  readonly who: string | null
  readonly isUser: boolean
  readonly added: number
  readonly removed: number
  /** the rows were changed directly in the database */
  readonly isByHand: boolean
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

export const revisionLine = (
  sent: Readonly<Record<string, unknown>> & {
    readonly revision: number
    readonly reason: string
    readonly time: string
  },
): RevisionLine => {
  const { revision, reason, time, actor } = sent
  return {
    revision,
    reason,
    time,
    who: isObject(actor) ? textIn(actor['name']) : null,
    isUser: isObject(actor) && typeof actor['id'] === 'string',
    added: lengthOf(sent['added']),
    removed: lengthOf(sent['removed']),
    isByHand: sent['model_sha256'] === '',
  }
}
