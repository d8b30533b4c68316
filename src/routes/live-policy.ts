import { EVENT_STREAM } from '../http/event-stream.js'
import type { Live } from '../http/live.js'
import { Refusal } from '../domain/refusal.js'
import type { ListenerStore } from '../layers/4-data/live.js'
import { route } from '../layers/compose.js'
import { noRecord, type DataRule } from '../layers/rules.js'
import type { PolicyInForce } from '../layers/layers.js'
import type { Route } from '../layers/route.js'
import { READING_POLICY } from './shared-layers.js'
import { LiveQuery } from './visit-schemas.js'

/** GET /policy/live: the revision in force, sent at once and whenever a new one comes into force. */
export const livePolicyRoute = ({
  listener,
  live,
  policy,
}: {
  readonly listener: DataRule<ListenerStore>
  readonly live: Pick<Live, 'listen'>
  readonly policy: Pick<PolicyInForce, 'current'>
}): Route =>
  route({
    ...READING_POLICY,
    path: '/policy/live',
    data: listener,
    query: LiveQuery,
    handle: ({ caller, query, store, layers }) => ({
      status: 200,
      body: live.listen({
        topic: 'policy',
        event: 'revision',
        user: caller.user?.id ?? '',
        limit: query.limit ?? Number.POSITIVE_INFINITY,
        read: async () => {
          await store.requireSame()
          const inForce = policy.current()
          if (!layers.rightTo('policy:read', noRecord(), inForce).allowed) throw new Refusal('policy_denied')
          return { revision: inForce.revision }
        },
      }),
      ...EVENT_STREAM,
    }),
    documentation: {
      id: 'watchPolicy',
      refusals: ['too_many_listeners'],
      summary: 'Watch the revision in force',
      description:
        'Server-sent events `revision` with `revision`: one at once, and one within half a second after a new ' +
        'revision comes into force. The stream ends after five minutes, and when the listener’s rights change.',
      tag: 'policy',
      types: ['text/event-stream'],
    },
  })
