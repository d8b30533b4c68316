import type { CurrentPolicy } from './current.js'

export interface PolicyWatch {
  /** Looks now: something was notified, or may have been missed. */
  look(): void
  stop(): void
}

export interface WatchOptions {
  readonly policy: CurrentPolicy
  /** told of each look: why it failed, or null */
  readonly onLook: (fault: unknown) => void
  /** how often the revision is asked for beside the notifications, in milliseconds */
  readonly intervalMs?: number
}

export const POLICY_CHANNEL = 'linkgate_policy'

/**
 * Keeps the policy in force up to date: by notification, and by a check at an interval, so that a lost notification or
 * a dead connection costs at most that interval (promise 2). A load that fails keeps the last good policy and is tried
 * again with the next check (promise 3).
 */
export const watchPolicy = ({ policy, onLook, intervalMs = 400 }: WatchOptions): PolicyWatch => {
  const look = () => void policy.refresh().then(() => onLook(null), onLook)
  const timer = setInterval(look, intervalMs)
  timer.unref()
  return { look, stop: () => clearInterval(timer) }
}
