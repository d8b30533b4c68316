import { onceAtATime } from '../domain/once.js'
import type { Snapshot } from '../policy/snapshot.js'
import type { MetricsIn } from './metrics-in.js'

const DECISION_BUCKETS = [2.5e-7, 5e-7, 1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 1e-4, 1e-3, 1e-2]
const LOAD_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** `load` of createCurrentPolicy: the newest snapshot, or null if the revision `known` is still the newest. */
type LoadPolicy = (known: number | null) => Promise<Snapshot | null>

/** What the gauges tell of the snapshot in force. */
interface InForce {
  readonly rows: number
  /** null until it is known */
  madeAt: Date | null
  readonly askAge: () => Promise<void>
}

/** What loads and decisions show of the policy. Of several processes, the gauges report the one furthest behind. */
export const policyMetrics = ({ gauge, histogram }: MetricsIn) => {
  let checkedAt: number | null = null
  let inForce: InForce = { rows: 0, madeAt: null, askAge: () => Promise.resolve() }
  gauge('linkgate_policy_rows', 'Rows of the revision in force', 'max', () => inForce.rows)
  gauge('linkgate_policy_age_seconds', 'Seconds since the revision in force was made', 'max', () => {
    if (inForce.madeAt !== null) return Math.max(0, (Date.now() - inForce.madeAt.getTime()) / 1_000)
    void inForce.askAge()
    return null
  })
  gauge(
    'linkgate_policy_check_age_seconds',
    'Seconds since the database last confirmed which revision is in force',
    'max',
    () => (checkedAt === null ? null : (performance.now() - checkedAt) / 1_000),
  )
  const loads = histogram(
    'linkgate_policy_load_duration_seconds',
    'Loads of a new revision: read, parse, build, check the invariants',
    LOAD_BUCKETS,
  )
  const decisionTimes = histogram(
    'linkgate_decision_duration_seconds',
    'One call of can(), without loading the record',
    DECISION_BUCKETS,
  )

  return {
    /** Wraps a load, to time it. */
    timeLoads:
      (load: LoadPolicy): LoadPolicy =>
      async (known) => {
        const startedAt = performance.now()
        const snapshot = await load(known)
        checkedAt = performance.now()
        if (snapshot !== null) loads.observe((checkedAt - startedAt) / 1_000)
        return snapshot
      },
    /**
     * Wraps a snapshot that comes into force: times each `can`, and keeps its number of rows and its age for the
     * gauges. `madeAt` returns when a revision was made. It runs in the background; while it fails, the age is omitted,
     * and each collection tries again.
     */
    timeDecisions:
      (madeAt: (revision: number) => Promise<Date | null>) =>
      (snapshot: Snapshot): Snapshot => {
        checkedAt = performance.now()
        const entered: InForce = {
          rows: snapshot.rows.length,
          madeAt: null,
          askAge: onceAtATime(async () => {
            entered.madeAt = await madeAt(snapshot.revision).catch(() => null)
          }),
        }
        inForce = entered
        void entered.askAge()
        return Object.freeze<Snapshot>({
          ...snapshot,
          can: (user, action, record) => {
            const startedAt = performance.now()
            const allowed = snapshot.can(user, action, record)
            decisionTimes.observe((performance.now() - startedAt) / 1_000)
            return allowed
          },
        })
      },
  }
}
