import type { Layers } from '../layers/route.js'
import type { Tracer } from './tracer.js'

/** The layers with a span of each; of the fourth, one for each thing that the handler has its store do. */
export const traceLayers = (tracer: Tracer, layers: Layers): Layers => ({
  ...layers,
  gateway: (ctx, rule, options) =>
    tracer.within('gateway', { attributes: { 'linkgate.scope': rule.scope, 'linkgate.quota': rule.quota } }, async () =>
      layers.gateway(ctx, rule, options),
    ),
  endpoint: (snapshot, caller, action) =>
    tracer.within('endpoint', { attributes: { 'linkgate.action': action } }, () =>
      layers.endpoint(snapshot, caller, action),
    ),
  object: (snapshot, caller, rule, params) =>
    tracer.within(
      'object',
      { attributes: { 'linkgate.action': rule.action, 'linkgate.policy.revision': snapshot.revision } },
      async (span) => {
        const decided = await layers.object(snapshot, caller, rule, params)
        span.set({ 'linkgate.effect': decided.decision.effect, 'linkgate.rule': decided.decision.rule })
        return decided
      },
    ),
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
