import { keepLog } from '../audit/keep-log.js'
import type { SigningKey } from '../identity/signing-key.js'
import { backgroundWork } from '../jobs/background-work.js'
import { runJobs } from '../jobs/run-jobs.js'
import { logOutages } from '../log/on-change.js'
import type { Closing } from './closing.js'
import type { Base } from './open-data.js'

interface UpkeepParts extends Base {
  readonly signingKey: SigningKey
}

/** Starts what runs beside the requests: the signing of the decision log, and background work. */
export const startUpkeep = ({ config, data: { pool }, signingKey, metrics, log }: UpkeepParts, closing: Closing) => {
  const keeper = keepLog({
    database: pool,
    key: signingKey,
    onCheckpoint: (checkpoint) => log.info({ checkpoint }, 'the decision log was signed'),
    onFault: (err) =>
      log.error({ err }, 'the decision log could not be signed, or its next partitions could not be added'),
  })
  closing.add(keeper.stop)
  const jobs = runJobs({
    database: pool,
    jobs: backgroundWork(pool, config),
    observer: metrics.jobs,
    reporterOf: (job) =>
      logOutages(
        log.child({ job }),
        'background work failed; it runs again when it is due',
        'background work is done again',
        { level: 'error' },
      ),
  })
  closing.add(jobs.stop)
}
