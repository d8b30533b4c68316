import { PACKAGE_ROOT } from '../config.js'
import { EVERY_TOPIC, createLive } from '../http/live.js'
import { logOutages } from '../log/on-change.js'
import { createCurrentPolicy } from '../policy/current.js'
import { installDefaultPolicy, loadPolicyRules } from '../policy/installation.js'
import { loadSnapshot } from '../policy/replacement.js'
import { recordUnexplainedRows, rowsDiffer, timeOfRevision } from '../policy/store.js'
import { watchPolicy } from '../policy/watch.js'
import type { Closing } from './closing.js'
import type { Base } from './open-data.js'

/**
 * Loads the policy, after storing the default one in a database that never had any. `live` announces each revision that
 * comes into force. Throws if no policy can be in force.
 */
export const openPolicy = async ({ data: { policyReads: database }, metrics, log }: Base, closing: Closing) => {
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
  const onLook = logOutages(
    log,
    'the policy could not be loaded; the last good one stays in force',
    'the policy can be loaded again',
    { level: 'error' },
  )
  const onDiffer = () =>
    log.error('the stored policy rows differed from those of the revision in force; the stored ones were loaded')
  const watch = watchPolicy({ policy, onLook, onDiffer })
  closing.add(watch.stop)
  return { rules, policy, watch, live }
}
