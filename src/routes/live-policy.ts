import type { Live } from '../http/live.js'
import { EVENT_STREAM } from '../domain/event-stream.js'
import { Refusal } from '../domain/refusal.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT, noRecord } from '../layers/route.js'
import type { PolicyInForce, Route } from '../layers/route.js'
import { LiveQuery } from './visit-schemas.js'

/** GET /policy/live: which revision is in force, told at once and whenever another one comes into force. */
export const livePolicyRoute = ({
  live,
  policy,
}: {
  readonly live: Pick<Live, 'listen'>
  readonly policy: Pick<PolicyInForce, 'current'>
}): Route =>
  route({
    method: 'get',
    path: '/policy/live',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'policy:read', quota: 'caller' },
    endpoint: 'policy:read',
    object: { action: 'policy:read', load: noRecord },
    data: NO_DATA,
    query: LiveQuery,
    handle: ({ caller, query }) => {
      let told = 0
      return {
        status: 200,
        body: live.listen({
          topic: 'policy',
          event: 'revision',
          user: caller.user?.id ?? '',
          limit: query.limit ?? Number.POSITIVE_INFINITY,
          hasNews: () => policy.current().revision !== told,
          read: async () => {
            const inForce = policy.current()
            // another policy may decide otherwise about the listener
            if (told === 0 || inForce.can(caller.user, 'policy:read', null)) {
              told = inForce.revision
              return { revision: told }
            }
            throw new Refusal('policy_denied')
          },
        }),
        ...EVENT_STREAM,
      }
    },
    documentation: {
      id: 'watchPolicy',
      refusals: ['too_many_listeners'],
      summary:
        'The revision in force, as server-sent events `revision` with `revision`: one at once, and one within half a ' +
        'second of another one coming into force. The stream ends after five minutes, and with the right to read the ' +
        'policy',
      tag: 'policy',
      types: ['text/event-stream'],
    },
  })
