import { violates } from '../database/errors.js'
import type { Statement } from '../database/statement.js'
import type { Id } from '../domain/id.js'
import { Refusal } from '../domain/refusal.js'

/**
 * Locks a user who is deleted and the one who gets their links, in order of their ids, so that two deletions that
 * transfer links to each other's users cannot deadlock. Nobody can transfer another link to the deleted one until the
 * transaction ends.
 */
export const lockUsers = (deleted: Id, heir: Id | null): readonly Statement[] => {
  const rows = [{ id: deleted, strength: 'update' }, ...(heir === null ? [] : [{ id: heir, strength: 'key share' }])]
  return rows
    .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
    .map(({ id, strength }) => ({ text: `select from users where id = $1 for ${strength}`, values: [id] }))
}

/** 422: the new owner of a deleted user's links does not exist. */
export const noHeir = (): Refusal =>
  new Refusal('validation_failed', { errors: [{ field: 'links', message: 'must name another user, who exists' }] })

/** Translates the violation that occurs if the new owner was deleted after the look-up. */
export const refuseNoHeir = (error: unknown): never => {
  const isGone = violates(error, 'links_owner_id_fkey') || violates(error, 'deleted_links_owner_id_fkey')
  throw isGone ? noHeir() : error
}
