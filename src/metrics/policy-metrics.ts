import { Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

import type { PolicyStatus } from '../policy/current.js'
import type { Snapshot } from '../policy/snapshot.js'

/** `load` of createCurrentPolicy: the newest snapshot, or null where the one with `known` is still the newest. */
export type LoadPolicy = (known: number | null) => Promise<Snapshot | null>

export interface PolicyMetrics {
  /**
   * The same load, with its checks, its duration and every later `decide` of its snapshots observed. `madeAt` answers when a
   * revision was made; where it cannot, the age is not told, and the load is as good.
   */
  readonly measureLoad: (load: LoadPolicy, madeAt: (revision: number) => Promise<Date | null>) => LoadPolicy
  /** where the gauges find what is in force */
  readonly follow: (status: () => PolicyStatus) => void
}

const DECISION_BUCKETS = [2.5e-7, 5e-7, 1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 1e-4, 1e-3, 1e-2]
const LOAD_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const policyMetrics = (registry: Registry): PolicyMetrics => {
  const registers = [registry]
  let status: () => PolicyStatus = () => ({ revision: null, fault: null })
  let checkedAt: number | null = null
  let loaded: { readonly madeAt: Date | null; readonly rows: number } = { madeAt: null, rows: 0 }

  // The policy of several processes is as good as the one that is furthest behind: revisions are the least of them, ages the greatest.
  const gauge = (name: string, help: string, aggregator: 'min' | 'max', value: () => number | null) => new Gauge({
    name: `linkgate_policy_${name}`, help, aggregator, registers,
    collect() {
      const now = value()
      if (now !== null) this.set(now)
    },
  })
  gauge('revision', 'Policy revision in force', 'min', () => status().revision ?? 0)
  gauge('load_failed', '1 while the newest revision could not be loaded and the last good one is in force', 'max', () => (status().fault === null ? 0 : 1))
  gauge('rows', 'Rows of the revision in force', 'max', () => loaded.rows)
  gauge('age_seconds', 'Seconds since the revision in force was made', 'max', () => (loaded.madeAt === null ? null : Math.max(0, (Date.now() - loaded.madeAt.getTime()) / 1_000)))
  gauge('check_age_seconds', 'Seconds since the database last said, or gave, what is in force', 'max', () => (checkedAt === null ? null : (performance.now() - checkedAt) / 1_000))
  const loads = new Histogram({ name: 'linkgate_policy_load_duration_seconds', help: 'Loads of a new revision: read, parse, build, ask the invariants', buckets: LOAD_BUCKETS, registers })
  const decisions = new Histogram({ name: 'linkgate_decision_duration_seconds', help: 'can(): one decision, without the load of its record', buckets: DECISION_BUCKETS, registers })

  return {
    measureLoad: (load, madeAt) => async (known) => {
      const began = performance.now()
      const snapshot = await load(known)
      checkedAt = performance.now()
      if (snapshot === null) return null
      loads.observe((checkedAt - began) / 1_000)
      loaded = { rows: snapshot.rows.length, madeAt: await madeAt(snapshot.revision).catch(() => null) }
      return Object.freeze<Snapshot>({
        ...snapshot,
        decide: (user, action, record) => {
          const asked = performance.now()
          const decision = snapshot.decide(user, action, record)
          decisions.observe((performance.now() - asked) / 1_000)
          return decision
        },
      })
    },
    follow: (given) => { status = given },
  }
}
