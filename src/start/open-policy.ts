import type { Logger } from 'pino'

import { PACKAGE_ROOT } from '../config.js'
import { EVERY_TOPIC, createLive } from '../http/live.js'
import type { Live } from '../http/live.js'
import { onChange } from '../log/on-change.js'
import type { Metrics } from '../metrics/metrics.js'
import { createCurrentPolicy } from '../policy/current.js'
import type { CurrentPolicy } from '../policy/current.js'
import { installDefaultPolicy, loadPolicyRules } from '../policy/installation.js'
import { loadSnapshot } from '../policy/replacement.js'
import { recordUnexplainedRows, rowsDiffer, timeOfRevision } from '../policy/store.js'
import type { PolicyRules } from '../policy/store.js'
import { watchPolicy } from '../policy/watch.js'
import type { PolicyWatch } from '../policy/watch.js'
import type { Closing } from './closing.js'
import type { Data } from './open-data.js'

/** The policy in force, and what updates it. */
interface Policy {
  readonly rules: PolicyRules
  readonly policy: CurrentPolicy
  readonly watch: PolicyWatch
  /** announces each revision that comes into force */
  readonly live: Live
}

interface PolicyParts {
  readonly data: Data
  readonly metrics: Metrics
  readonly log: Logger
}

/**
 * Loads the policy, after storing the default one in a database that never had any. Throws if no policy can be in
 * force.
 */
export const openPolicy = async (
  { data: { policyReads: database }, metrics, log }: PolicyParts,
  closing: Closing,
): Promise<Policy> => {
  const rules = await loadPolicyRules(PACKAGE_ROOT)
  if (await installDefaultPolicy(database, rules, PACKAGE_ROOT)) log.info('the default policy is loaded')
  const live = createLive({ everyMs: 500 })
  const observed = metrics.timeDecisions(timeOfRevision(database))
  const policy = createCurrentPolicy(
    metrics.timeLoads(loadSnapshot(database, rules)),
    (snapshot) => {
      live.announced(EVERY_TOPIC)
      return observed(snapshot)
    },
    { differ: rowsDiffer(database), record: () => recordUnexplainedRows(database) },
  )
  metrics.readFrom({ policy: policy.status })
  await policy.refresh()
  const logFault = (err: unknown) => {
    if (err !== null) log.error({ err }, 'the policy could not be loaded; the last good one stays in force')
  }
  const onDiffer = () =>
    log.error('the stored policy rows differed from those of the revision in force; the stored ones were loaded')
  const watch = watchPolicy({ policy, onLook: onChange(logFault), onDiffer })
  closing.add(watch.stop)
  return { rules, policy, watch, live }
}
