import type { PoolClient } from 'pg'

import type { Deadline } from '../domain/deadline.js'
import { SQLSTATE, sqlState } from './errors.js'
import type { Statement } from './statement.js'

/**
 * How many milliseconds before the deadline the server gives up, so that its answer still arrives, and the caller
 * learns that nothing was changed.
 */
const MARGIN_MS = 100

/**
 * How far the server's clock is ahead of performance.now(), in milliseconds; at most a round trip too low. Measured
 * once for a connection, and again after a deadline that none of the server's timeouts came before: its clock may have
 * been set.
 */
const clocks = new WeakMap<PoolClient, number>()

const clockOf = async (client: PoolClient): Promise<number> => {
  const known = clocks.get(client)
  if (known !== undefined) return known
  const { rows } = await client.query<{ clock: string }>('select clock_ms() as clock')
  const ahead = Number(rows[0]?.clock) - performance.now()
  clocks.set(client, ahead)
  return ahead
}

/** The first statement of a transaction with a deadline. Throws if that has passed. */
export const startDeadline = async (client: PoolClient, deadline: Deadline) => {
  const ahead = await clockOf(client)
  deadline.require()
  const left = Math.floor(deadline.left() - Math.min(MARGIN_MS, deadline.left() / 10))
  const until = Math.floor(performance.now() + left + ahead)
  return { name: 'start_deadline', text: 'select start_deadline($1, $2)', values: [until, left] }
}

/** Its last statement. */
export const REQUIRE_IN_TIME: Statement = { name: 'require_in_time', text: 'select require_in_time()' }

const LATE: ReadonlySet<string | undefined> = new Set([
  SQLSTATE.queryCanceled,
  SQLSTATE.lockNotAvailable,
  SQLSTATE.deadlinePassed,
])

/** Whether the server aborted a transaction because of its deadline, and so rolled it back. */
export const endedByDeadline = (client: PoolClient, error: unknown): boolean => {
  const state = sqlState(error)
  if (state === SQLSTATE.deadlinePassed) clocks.delete(client)
  return LATE.has(state)
}
