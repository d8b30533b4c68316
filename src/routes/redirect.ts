import { z } from 'zod'

import { targetFor } from '../domain/forward-query.js'
import type { FindLink, Link } from '../domain/link.js'
import { Refusal, type Fault } from '../domain/refusal.js'
import type { Following } from '../layers/4-data/following.js'
import { route } from '../layers/compose.js'
import type { Answer, Route } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import { passwordPage } from '../pages/pages.js'
import type { Visits } from '../visits/visits.js'
import { textIn } from './schemas.js'
import { publicLink, type FindCached } from './shared-layers.js'
import { requireOpen } from './visible-link.js'

/**
 * The redirect. `no-cache`: browsers would otherwise cache a permanent one, but its owner may change the link.
 * `cross-origin`: pages of other sites may use a link as a picture; what it leads to says itself who may.
 */
const onwards = (status: number, link: Link, querystring: string): Answer => ({
  status,
  headers: {
    Location: targetFor(link, querystring),
    'Cache-Control': status === 303 ? 'no-store' : 'no-cache',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  },
})

/** What is wrong with the password; null if only other fields are wrong. */
const faultOf = (faults: readonly Fault[], sent: unknown): 'missing' | 'long' | null => {
  // a fault without a field means that nothing was sent
  if (!faults.some(({ field }) => field === 'password' || field === '')) return null
  return textIn(sent, 'password') === '' ? 'missing' : 'long'
}

/** The public redirect. It matches every path of one segment, so its routes come last in the table. */
export const redirectRoutes = ({
  findLink,
  findFresh,
  following,
  visits,
  baseUrl,
}: {
  /** may answer from the cache, if that is recent */
  readonly findLink: FindCached
  /** always queries the database */
  readonly findFresh: FindLink
  readonly following: DataRule<Following>
  readonly visits: Pick<Visits, 'note'>
  readonly baseUrl: string
}): readonly Route[] => [
  route({
    ...publicLink(findFresh, requireOpen),
    method: 'post',
    path: '/:code',
    status: 303,
    data: following,
    body: z.strictObject({
      password: z.string().min(1).max(1_000).meta({ format: 'password', description: 'of the link' }),
    }),
    accepts: ['form'],
    storesInput: false,
    form: (faults, sent, { linkCode, requestId }) =>
      passwordPage({
        code: linkCode,
        host: new URL(baseUrl).host,
        status: 422,
        fault: faultOf(faults, sent),
        requestId,
      }),
    handle: async ({ record, store, body, querystring, layers, visitor }) => {
      if (record.has_password) {
        await layers.countLinkPassword(record.id)
        if (!(await store.hasPassword(record, body.password))) throw new Refusal('wrong_password')
      }
      await store.take(record)
      visits.note(record.id, visitor)
      return { ...onwards(303, record, querystring), unchanged: true }
    },
    documentation: {
      id: 'enterLinkPassword',
      refusals: ['link_expired', 'wrong_password'],
      example: { body: { password: 'open sesame' } },
      summary: 'Follow a link that is guarded by a password',
      tag: 'redirect',
    },
  }),
  route({
    ...publicLink(findLink, requireOpen),
    method: 'get',
    path: '/:code',
    status: 302,
    gateway: { scope: 'public', quota: 'redirect' },
    data: following,
    handle: ({ record, store, querystring, headers, visitor }) => {
      if (record.has_password) throw new Refusal('password_required')
      const follow = () => {
        // a prefetch or a HEAD is not a visit
        if (!headers.ahead) visits.note(record.id, visitor)
        return onwards(record.status, record, querystring)
      }
      if (record.max_visits === null) return follow()
      if (headers.ahead) return { status: 204, headers: { 'Cache-Control': 'no-store' } }
      return store.take(record).then(follow)
    },
    documentation: {
      id: 'followLink',
      refusals: ['link_expired', 'password_required'],
      otherwise: {
        204: 'A browser fetches ahead, or asks by HEAD, where each visit counts (`max_visits`): nothing was counted',
        301: 'Follow a link whose status is 301',
        307: 'Follow a link whose status is 307',
        308: 'Follow a link whose status is 308',
      },
      summary: 'Follow a link',
      tag: 'redirect',
    },
  }),
]
