import type { Logger } from 'pino'

import type { Config } from '../config.js'
import { onChange } from '../log/on-change.js'
import type { Metrics } from '../metrics/metrics.js'
import { openCountries } from '../visits/country.js'
import { createLive } from '../http/live.js'
import type { Live } from '../http/live.js'
import { createVisits } from '../visits/visits.js'
import type { Visits } from '../visits/visits.js'
import type { Closing } from './closing.js'
import type { Data } from './open-data.js'

interface VisitParts {
  readonly config: Config
  readonly data: Pick<Data, 'pool'>
  readonly metrics: Metrics
  readonly log: Logger
}

/** Records visits and announces them. */
interface OpenVisits extends Pick<Visits, 'note' | 'catchUp'> {
  readonly live: Live
}

/**
 * Opens the counting of visits. With VISITS=off, `note` and `catchUp` do nothing. Throws StartError for an unreadable
 * file.
 */
export const openVisits = async (parts: VisitParts, closing: Closing): Promise<OpenVisits> => {
  const visits = parts.config.countsVisits ? await startCounting(parts, closing) : NOT_COUNTING
  const live = createLive({ onLook: () => void visits.catchUp() })
  parts.metrics.readFrom({ listeners: live.count })
  return { live, note: visits.note, catchUp: visits.catchUp }
}

const NOT_COUNTING = { note: () => undefined, catchUp: () => Promise.resolve() }

const startCounting = async ({ config, data, metrics, log }: VisitParts, closing: Closing): Promise<Visits> => {
  const visits = createVisits({
    database: data.pool,
    ownHost: new URL(config.baseUrl ?? `http://${config.hostname}`).hostname,
    countries: await openCountries({ file: config.geoipDatabase, header: config.countryHeader }),
    keepsSingle: config.visitDays > 0,
    onChange: onChange((err) => {
      if (err !== null) log.warn({ err }, 'visits cannot be written; they stay queued')
    }),
    onDrop: () => log.error('visits were dropped: too many are queued'),
    onCount: metrics.observeVisits,
  })
  closing.add(visits.stop)
  metrics.readFrom({ visits: visits.stats })
  return visits
}
