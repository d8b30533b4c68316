import { createRecorder } from '../audit/recorder.js'
import type { Identity } from '../identity/identity.js'
import { createGateway } from '../layers/1-gateway/gateway.js'
import { createRateLimiter } from '../layers/1-gateway/rate-limit.js'
import { createTokenVerifier } from '../layers/1-gateway/token.js'
import { requireRole } from '../layers/2-endpoint/require-role.js'
import { requirePermission } from '../layers/3-object/require-permission.js'
import type { Layers, Runtime } from '../layers/layers.js'
import type { CurrentPolicy } from '../policy/current.js'
import type { Closing } from './closing.js'
import type { Base } from './open-data.js'

interface LayerParts extends Base {
  readonly policy: CurrentPolicy
  readonly identity: Identity
  /** true in a worker of a cluster, whose workers share their limits */
  readonly inWorker: boolean
  /** replaces layers; for tests that watch a single layer */
  readonly composeLayers: (layers: Layers) => Layers
}

/** Opens the four layers in the order in which a request passes them, and the recorder of their decisions. */
export const openLayers = (parts: LayerParts, closing: Closing): Runtime => {
  const { config, data, policy, identity, metrics, log, inWorker, composeLayers } = parts
  const limiter = createRateLimiter({
    quotas: config.quotas,
    redis: data.redis,
    inWorker,
    observer: metrics.limiter,
  })
  metrics.readFrom({ limitsShared: limiter.shared })
  const recorder = createRecorder({
    database: data.pool,
    onBatch: metrics.observeBatch,
    onFault: (err, lost) =>
      log.error({ err, lost }, 'decisions could not be recorded; all but the lost ones stay queued'),
  })
  closing.add(recorder.close)
  metrics.readFrom({ recorder: recorder.stats })

  const { name: issuer, audience, keys, algorithms, ownSignIns } = identity.issuer
  const layers: Layers = {
    gateway: createGateway({
      limiter,
      tokens: createTokenVerifier({ issuer, audience, keys, algorithms, ownSignIns }),
      identity,
      trustedProxyHops: config.trustedProxyHops,
    }),
    endpoint: requireRole,
    object: requirePermission,
    data: (rule, context) => rule.open(context),
  }
  return {
    layers: composeLayers(data.tracing?.layers(layers) ?? layers),
    policy,
    record: recorder.record,
    recordsPublicReads: config.auditPublicReads,
    count: metrics.countDecision,
  }
}
