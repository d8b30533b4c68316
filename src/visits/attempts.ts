import { isUnstorable } from '../database/errors.js'

/** Shared by writing and counting: after a failure that may pass, both wait before the next attempt. */
export const createAttempts = (retryMs: number) => {
  let retryAt = Number.NEGATIVE_INFINITY
  return {
    isDue: (): boolean => performance.now() >= retryAt,
    /** Returns whether a retry may succeed; it then waits. */
    fail: (error: unknown): boolean => {
      const mayPass = !isUnstorable(error)
      if (mayPass) retryAt = performance.now() + retryMs
      return mayPass
    },
    /** Allows the next attempt at once. */
    hurry: (): void => {
      retryAt = Number.NEGATIVE_INFINITY
    },
  }
}

export type Attempts = ReturnType<typeof createAttempts>
