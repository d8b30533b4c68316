import type { z } from 'zod'

import type { FindLink } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { EVENT_STREAM } from '../http/event-stream.js'
import type { Live } from '../http/live.js'
import type { ListenerStore, LiveCount } from '../layers/4-data/live.js'
import type { Caller } from '../layers/caller.js'
import { route } from '../layers/compose.js'
import type { PolicyInForce } from '../layers/layers.js'
import type { Answer, Route } from '../layers/route.js'
import { noRecord, type DataRule } from '../layers/rules.js'
import { READING_POLICY, readingManagedLink } from './shared-layers.js'
import { LiveQuery } from './visit-schemas.js'

interface LiveParts {
  readonly live: Pick<Live, 'listen'>
  readonly policy: Pick<PolicyInForce, 'current'>
}

/** The answer with a stream of events. `read` decides about each with the listener's current rights. */
const streamTo = (
  { caller, query }: { readonly caller: Caller; readonly query: z.output<typeof LiveQuery> },
  live: LiveParts['live'],
  events: Omit<Parameters<Live['listen']>[0], 'user' | 'limit'>,
): Answer => ({
  status: 200,
  body: live.listen({ ...events, user: caller.user?.id ?? '', limit: query.limit ?? Number.POSITIVE_INFINITY }),
  ...EVENT_STREAM,
})

/** GET /policy/live: the revision in force, sent at once and whenever a new one comes into force. */
export const livePolicyRoute = ({
  listener,
  live,
  policy,
}: LiveParts & { readonly listener: DataRule<ListenerStore> }): Route =>
  route({
    ...READING_POLICY,
    path: '/policy/live',
    data: listener,
    query: LiveQuery,
    handle: ({ store, layers, ...request }) =>
      streamTo(request, live, {
        topic: 'policy',
        event: 'revision',
        read: async () => {
          await store.requireSame()
          const inForce = policy.current()
          if (!layers.rightTo('policy:read', noRecord(), inForce).allowed) throw new Refusal('policy_denied')
          return { revision: inForce.revision }
        },
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

/** GET /links/{code}/visits/live: the visits of a link, as they come. */
export const liveVisitsRoute = ({
  findLink,
  counts,
  live,
  policy,
}: LiveParts & { readonly findLink: FindLink; readonly counts: DataRule<LiveCount> }): Route =>
  route({
    ...readingManagedLink(findLink),
    path: '/links/:code/visits/live',
    data: counts,
    query: LiveQuery,
    handle: ({ record, store, snapshot, ...request }) =>
      streamTo(request, live, {
        topic: record.id,
        event: 'visits',
        read: async () => {
          const count = await store.read(record.id)
          // a new policy may decide otherwise: end the stream, so that the listener reconnects and is decided under it
          if (count === null || policy.current().revision !== snapshot.revision) throw new Refusal('not_found')
          return count
        },
      }),
    documentation: {
      id: 'watchLinkVisits',
      refusals: ['too_many_listeners'],
      summary: 'Watch the visits of a link',
      description:
        'Server-sent events `visits` with `total` and `last_at`: one at once, then at most one a second. The stream ' +
        'ends after ten minutes, and when the listener’s rights or the policy change.',
      tag: 'visits',
      types: ['text/event-stream'],
    },
  })
