import type { CurrentPolicy } from './current.js'

/** PostgreSQL notifies on it with each new revision. */
export const POLICY_CHANNEL = 'linkgate_policy'

export interface PolicyWatch {
  /** Refreshes the policy now. */
  look(): void
  stop(): void
}

interface WatchOptions {
  readonly policy: CurrentPolicy
  /** called after each refresh: with its error, or null */
  readonly onLook: (fault: unknown) => void
  readonly intervalMs?: number
}

/**
 * Keeps the policy in force up to date: by `look` on a notification, and at an interval, so that a lost notification
 * costs at most that interval (promise 2).
 */
export const watchPolicy = ({ policy, onLook, intervalMs = 400 }: WatchOptions): PolicyWatch => {
  const look = () => void policy.refresh().then(() => onLook(null), onLook)
  const timer = setInterval(look, intervalMs)
  timer.unref()
  return { look, stop: () => clearInterval(timer) }
}
