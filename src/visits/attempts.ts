import { isDatabaseAway } from '../database/errors.js'
import { Refusal } from '../domain/refusal.js'

/** Shared by writing and counting: after a failure that may pass, both wait before the next attempt. */
export interface Attempts {
  isDue(): boolean
  /** Reports a failure. Returns whether a retry may succeed. */
  fail(error: unknown): boolean
  /** Allows the next attempt at once. */
  hurry(): void
}

export const createAttempts = (retryMs: number, onFail: (error: unknown) => void): Attempts => {
  let retryAt = Number.NEGATIVE_INFINITY
  return {
    isDue: () => performance.now() >= retryAt,
    fail: (error) => {
      onFail(error)
      const mayPass = isTransient(error)
      if (mayPass) retryAt = performance.now() + retryMs
      return mayPass
    },
    hurry: () => {
      retryAt = Number.NEGATIVE_INFINITY
    },
  }
}

/** The database is away, or a deadlock rolled the batch back. */
const isTransient = (error: unknown): boolean =>
  isDatabaseAway(error) || (error instanceof Refusal && error.code === 'conflict')
