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
  /** called where the stored rows were not those in force */
  readonly onDiffer?: () => void
}

/** Between checks; longer where a check takes long. */
const CHECK_MS = 2_000
/** A check takes at most this part of the time: it reads all rows. */
const CHECK_SHARE = 0.02

/**
 * Keeps the policy in force up to date: by `look` on a notification, and at an interval, so that a lost notification
 * costs at most that interval (promise 2). Compares the rows in force with the stored ones from time to time.
 */
export const watchPolicy = ({
  policy,
  onLook,
  intervalMs = 400,
  onDiffer = () => undefined,
}: WatchOptions): PolicyWatch => {
  const look = () => void policy.refresh().then(() => onLook(null), onLook)
  const timer = setInterval(look, intervalMs)
  timer.unref()

  let checks: NodeJS.Timeout | undefined
  let stopped = false
  const checkAfter = (ms: number) => {
    if (stopped) return
    checks = setTimeout(() => void check(), ms)
    checks.unref()
  }
  const check = async () => {
    const startedAt = performance.now()
    // a failure shows in the status, and the next look finds a database that is away
    const differed = await policy.check().catch(() => policy.status().differs === true)
    if (differed) onDiffer()
    checkAfter(Math.max(CHECK_MS, (performance.now() - startedAt) / CHECK_SHARE))
  }
  checkAfter(CHECK_MS)
  return {
    look,
    stop: () => {
      stopped = true
      clearInterval(timer)
      clearTimeout(checks)
    },
  }
}
