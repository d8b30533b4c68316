import type { FindLink } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { EVENT_STREAM } from '../http/event-stream.js'
import type { Live } from '../http/live.js'
import type { LiveCount } from '../layers/4-data/live.js'
import { route } from '../layers/compose.js'
import type { PolicyInForce } from '../layers/layers.js'
import type { Route } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import { readingManagedLink } from './shared-layers.js'
import { LiveQuery } from './visit-schemas.js'

/** Live visits of a link: a stream of events, each decided with the listener's current rights. */
export const liveVisitsRoute = ({
  findLink,
  counts,
  live,
  policy,
}: {
  readonly findLink: FindLink
  readonly counts: DataRule<LiveCount>
  readonly live: Pick<Live, 'listen'>
  readonly policy: Pick<PolicyInForce, 'current'>
}): Route =>
  route({
    ...readingManagedLink(findLink),
    path: '/links/:code/visits/live',
    data: counts,
    query: LiveQuery,
    handle: ({ record, store, query, caller, snapshot }) => ({
      status: 200,
      body: live.listen({
        topic: record.id,
        event: 'visits',
        user: caller.user?.id ?? '',
        limit: query.limit ?? Number.POSITIVE_INFINITY,
        read: async () => {
          const count = await store.read(record.id)
          // a new policy may decide otherwise: end the stream, so that the listener reconnects and is decided under it
          if (count === null || policy.current().revision !== snapshot.revision) throw new Refusal('not_found')
          return count
        },
      }),
      ...EVENT_STREAM,
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
