import type { Layers } from '../layers/route.js'
import type { Tracer } from './tracer.js'

/** The layers with a span of each; of the fourth, one for each thing that the handler has its store do. */
export const traceLayers = (tracer: Tracer, layers: Layers): Layers => ({
  ...layers,
  gateway: {
    ...layers.gateway,
    admit: (ctx, rule) =>
      tracer.within('gateway', { attributes: { 'linkgate.scope': rule.scope, 'linkgate.quota': rule.quota } }, () =>
        layers.gateway.admit(ctx, rule),
      ),
    identify: (admitted, rule) => tracer.within('gateway.identify', {}, () => layers.gateway.identify(admitted, rule)),
  },
  endpoint: (snapshot, caller, action) =>
    tracer.within('endpoint', { attributes: { 'linkgate.action': action } }, () =>
      layers.endpoint(snapshot, caller, action),
    ),
  object: (snapshot, caller, action, record) => {
    const attributes = { 'linkgate.action': action, 'linkgate.policy.revision': snapshot.revision }
    return tracer.within('object', { attributes }, (span) => {
      const decided = layers.object(snapshot, caller, action, record)
      span.set({ 'linkgate.effect': decided.decision.effect, 'linkgate.rule': decided.decision.rule })
      return decided
    })
  },
  data: (rule, context) => tracedStore(tracer, layers.data(rule, context)),
})

/** A store whose every function runs in a span. It stands on the given one, which may be frozen. */
const tracedStore = <Store>(tracer: Tracer, store: Store): Store => {
  if (typeof store !== 'object' || store === null) return store
  const traced = Object.entries(store).flatMap(([name, member]: readonly [string, unknown]) =>
    typeof member !== 'function'
      ? []
      : [
          [
            name,
            {
              value: (...given: readonly unknown[]): unknown =>
                tracer.within('data', { attributes: { 'linkgate.operation': name } }, (): unknown =>
                  Reflect.apply(member, store, given),
                ),
            },
          ] as const,
        ],
  )
  return Object.create(store, Object.fromEntries(traced))
}
