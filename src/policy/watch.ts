import type { CurrentPolicy } from './current.js'

/** The PostgreSQL channel that announces each new revision. */
export const POLICY_CHANNEL = 'linkgate_policy'

interface WatchOptions {
  readonly policy: CurrentPolicy
  /** called after each refresh, with its error or null */
  readonly onLook: (fault: unknown) => void
  readonly intervalMs?: number
  /** called if the stored rows differed from those in force */
  readonly onDiffer?: () => void
}

/** The pause between checks; longer if a check takes long. */
const CHECK_MS = 2_000
/** The largest fraction of the time that checks may take, since each reads all rows. */
const CHECK_SHARE = 0.02

/**
 * Keeps the policy in force up to date: by `look` on a notification, and at an interval, so that a lost notification
 * delays an update by at most that interval (promise 2). Now and then compares the rows in force with the stored ones.
 */
export const watchPolicy = ({ policy, onLook, intervalMs = 400, onDiffer = () => undefined }: WatchOptions) => {
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
    // a failure shows in the status; the next refresh notices a database that is away
    const differed = await policy.check().catch(() => policy.status().differs)
    if (differed) onDiffer()
    checkAfter(Math.max(CHECK_MS, (performance.now() - startedAt) / CHECK_SHARE))
  }
  checkAfter(CHECK_MS)
  return {
    /** Refreshes the policy now. */
    look,
    stop: (): void => {
      stopped = true
      clearInterval(timer)
      clearTimeout(checks)
    },
  }
}

export type PolicyWatch = ReturnType<typeof watchPolicy>
