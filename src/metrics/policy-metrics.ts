import { Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

import type { PolicyStatus } from '../policy/current.js'
import type { Snapshot } from '../policy/snapshot.js'
import { createHistogram } from './histogram.js'

/** `load` of createCurrentPolicy: the newest snapshot, or null where the one with `known` is still the newest. */
export type LoadPolicy = (known: number | null) => Promise<Snapshot | null>

export interface PolicyMetrics {
  /** The same load, with its checks and its duration observed. */
  readonly measureLoad: (load: LoadPolicy) => LoadPolicy
  /**
   * The same snapshot as it comes in force, with every `can` observed. `madeAt` answers when a revision was made;
   * nobody waits for it, and where it cannot the age is not told.
   */
  readonly enter: (madeAt: (revision: number) => Promise<Date | null>) => (snapshot: Snapshot) => Snapshot
  /** where the gauges find what is in force */
  readonly follow: (status: () => PolicyStatus) => void
}

const DECISION_BUCKETS = [2.5e-7, 5e-7, 1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 1e-4, 1e-3, 1e-2]
const LOAD_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const policyMetrics = (registry: Registry): PolicyMetrics => {
  const registers = [registry]
  let status: () => PolicyStatus = () => ({ revision: null, fault: null })
  let checkedAt: number | null = null
  let entered: { readonly madeAt: Date | null; readonly rows: number } = { madeAt: null, rows: 0 }

  // The policy of several processes is as good as the one that is furthest behind: revisions are the least of them,
  // ages the greatest.
  const gauge = (name: string, help: string, aggregator: 'min' | 'max', value: () => number | null) =>
    new Gauge({
      name: `linkgate_policy_${name}`,
      help,
      aggregator,
      registers,
      collect() {
        const now = value()
        // left out where it is not known: it would stand for the revision before
        if (now === null) this.remove()
        else this.set(now)
      },
    })
  gauge('revision', 'Policy revision in force', 'min', () => status().revision ?? 0)
  gauge(
    'load_failed',
    '1 while the newest revision could not be loaded and the last good one is in force',
    'max',
    () => (status().fault === null ? 0 : 1),
  )
  gauge('rows', 'Rows of the revision in force', 'max', () => entered.rows)
  gauge('age_seconds', 'Seconds since the revision in force was made', 'max', () =>
    entered.madeAt === null ? null : Math.max(0, (Date.now() - entered.madeAt.getTime()) / 1_000),
  )
  gauge('check_age_seconds', 'Seconds since the database last said, or gave, what is in force', 'max', () =>
    checkedAt === null ? null : (performance.now() - checkedAt) / 1_000,
  )
  const loads = new Histogram({
    name: 'linkgate_policy_load_duration_seconds',
    help: 'Loads of a new revision: read, parse, build, ask the invariants',
    buckets: LOAD_BUCKETS,
    registers,
  })
  const decisions = createHistogram({
    name: 'linkgate_decision_duration_seconds',
    help: 'can(): one decision, without the load of its record',
    labelNames: [],
    buckets: DECISION_BUCKETS,
    registers,
  })

  return {
    measureLoad: (load) => async (known) => {
      const began = performance.now()
      const snapshot = await load(known)
      checkedAt = performance.now()
      if (snapshot !== null) loads.observe((checkedAt - began) / 1_000)
      return snapshot
    },
    enter: (madeAt) => (snapshot) => {
      checkedAt = performance.now()
      const entering = { rows: snapshot.rows.length, madeAt: null }
      entered = entering
      const tellAge = (time: Date | null) => {
        if (entered === entering) entered = { ...entering, madeAt: time }
      }
      void madeAt(snapshot.revision).then(tellAge, () => undefined)
      return Object.freeze<Snapshot>({
        ...snapshot,
        can: (user, action, record) => {
          const asked = performance.now()
          const allowed = snapshot.can(user, action, record)
          decisions.observe((performance.now() - asked) / 1_000)
          return allowed
        },
      })
    },
    follow: (given) => {
      status = given
    },
  }
}
