import type { Layers } from '../layers/layers.js'
import type { Tracer } from './tracer.js'

/** Wraps the layers so that each gets a span; in the data layer, each operation of the store. */
export const traceLayers = (tracer: Tracer, layers: Layers): Layers => ({
  ...layers,
  gateway: {
    ...layers.gateway,
    admit: (ctx, rule) =>
      tracer.within('gateway', { attributes: { 'linkgate.scope': rule.scope, 'linkgate.quota': rule.quota } }, () =>
        layers.gateway.admit(ctx, rule),
      ),
    identify: (ctx, admitted, rule, onKnown) =>
      tracer.within('gateway.identify', {}, () => layers.gateway.identify(ctx, admitted, rule, onKnown)),
  },
  endpoint: (snapshot, caller, action) =>
    tracer.within('endpoint', { attributes: { 'linkgate.action': action } }, () =>
      layers.endpoint(snapshot, caller, action),
    ),
  object: (snapshot, caller, action, record) => {
    const attributes = { 'linkgate.action': action, 'linkgate.policy.revision': snapshot.revision }
    return tracer.within('object', { attributes }, (span) => {
      const decided = layers.object(snapshot, caller, action, record)
      span.setAttributes({ 'linkgate.effect': decided.decision.effect, 'linkgate.rule': decided.decision.rule })
      return decided
    })
  },
  data: (rule, context) => traceStore(tracer, layers.data(rule, context)),
})

/** Wraps a store so that each function runs in a span. The store may be frozen, so it becomes the prototype. */
const traceStore = <Store>(tracer: Tracer, store: Store): Store => {
  if (typeof store !== 'object' || store === null) return store
  const traced = Object.entries(store).map(([name, member]: readonly [string, unknown]) => {
    if (typeof member !== 'function') return [name, { value: member }] as const
    const value = (...given: readonly unknown[]): unknown =>
      tracer.within('data', { attributes: { 'linkgate.operation': name } }, (): unknown =>
        Reflect.apply(member, store, given),
      )
    return [name, { value }] as const
  })
  return Object.create(store, Object.fromEntries(traced))
}
