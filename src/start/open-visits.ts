import { logOutages } from '../log/on-change.js'
import { openCountries } from '../visits/country.js'
import { createLive } from '../http/live.js'
import { createVisits, type Visits } from '../visits/visits.js'
import type { Closing } from './closing.js'
import type { Base } from './open-data.js'

/**
 * Opens the counting of visits, and announces them. With VISITS=off, `note` and `catchUp` do nothing. Throws StartError
 * for an unreadable file.
 */
export const openVisits = async (base: Base, closing: Closing) => {
  const visits = base.config.countsVisits ? await startCounting(base, closing) : NOT_COUNTING
  const live = createLive({ onTick: () => void visits.catchUp() })
  base.metrics.readFrom({ listeners: live.count })
  return { live, note: visits.note, catchUp: visits.catchUp }
}

const NOT_COUNTING: Pick<Visits, 'note' | 'catchUp'> = { note: () => undefined, catchUp: () => Promise.resolve() }

const startCounting = async ({ config, data, metrics, log }: Base, closing: Closing): Promise<Visits> => {
  const visits = createVisits({
    database: data.pool,
    ownHost: new URL(config.baseUrl ?? `http://${config.hostname}`).hostname,
    countries: await openCountries({ file: config.geoipDatabase, header: config.countryHeader }),
    keepsSingle: config.visitDays > 0,
    onWriteChange: logOutages(log, 'visits cannot be written; they stay queued', 'visits are written again'),
    onCountChange: logOutages(
      log,
      'written visits cannot be added to the totals; they stay queued',
      'written visits are added to the totals again',
    ),
    onDrop: () => log.error('visits were dropped: too many are queued'),
    onCount: metrics.observeVisits,
  })
  closing.add(visits.stop)
  metrics.readFrom({ visits: visits.stats })
  return visits
}
