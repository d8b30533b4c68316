import { createListener } from '../database/listener.js'
import type { ServiceLogin } from '../database/open.js'
import { openReplicaAt } from '../database/replica.js'
import { logOutages } from '../log/on-change.js'
import { POLICY_CHANNEL, type PolicyWatch } from '../policy/watch.js'
import { EVERY_CODE, LINKS_CHANNEL, STALE_MS } from '../redirects/link-cache.js'
import { openRedirects, type Redirects } from '../redirects/redirects.js'
import { EVERY_TOPIC, type Live } from '../http/live.js'
import type { Closing } from './closing.js'
import type { Base } from './open-data.js'

/** The channel on which count_visits() announces link ids. */
const VISITS_CHANNEL = 'linkgate_visits'

interface RedirectParts extends Base {
  readonly opened: ServiceLogin
  readonly watch: PolicyWatch
  readonly live: Live
}

/** Opens the cache of public links, and the listener, which notifies that cache, the policy watch and live visits. */
export const openPublicLinks = (parts: RedirectParts, closing: Closing): Redirects => {
  const { config, opened, data, watch, live, metrics, log } = parts
  const replica = followReplica(parts)
  if (replica !== undefined) {
    closing.add(replica.close)
    metrics.readFrom({ replica: replica.stats })
  }
  const listener = createListener({
    connection: opened.listener,
    notify: (channel, payload) => data.pool.run({ text: 'select pg_notify($1, $2)', values: [channel, payload] }),
    onChange: logOutages(
      log,
      'notifications are not received; the policy is polled, and links are not cached',
      'notifications are received again',
    ),
  })
  closing.add(listener.stop)
  const redirects = openRedirects({
    database: data.database,
    pool: data.pool,
    listener,
    replica,
    cacheSize: config.redirectCacheSize,
    outageMs: config.redirectOutageSeconds * 1_000,
  })
  closing.add(redirects.stop)
  metrics.readFrom({ cache: redirects.stats })

  listener.hear(POLICY_CHANNEL, watch.look)
  listener.hear(LINKS_CHANNEL, redirects.forget)
  listener.hear(VISITS_CHANNEL, live.announced)
  listener.start(() => {
    redirects.forget(EVERY_CODE)
    live.announced(EVERY_TOPIC)
    watch.look()
  })
  return redirects
}

/** Follows the replica that the settings name. */
const followReplica = ({ config, opened, log }: RedirectParts) => {
  if (config.replicaDatabaseUrl === undefined) return undefined
  return openReplicaAt({
    url: config.replicaDatabaseUrl,
    primary: opened.service,
    size: config.databasePoolSize,
    pooled: config.databasePooled,
    staleMs: STALE_MS,
    onChange: logOutages(log, 'redirects are read from the primary', 'redirects are read from the replica', {
      atStart: true,
    }),
  })
}
