import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import type { CorsOrigins } from '../config.js'
import type { Decision } from '../domain/decision.js'
import type { FinishedRequest } from '../domain/finished-request.js'
import type { Link } from '../domain/link.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { addressBucket, clientAddress } from '../layers/1-gateway/address.js'
import type { Admission, RateLimiter } from '../layers/1-gateway/rate-limit.js'
import type { Layers, Route } from '../layers/route.js'
import { noteBegan } from './began.js'
import { CLIENT_CLOSED_REQUEST } from './finished-request.js'
import { HARMLESS_ID } from './request-id.js'
import { namesOneHost } from './require-one-host.js'
import { securityHeaderList } from './security-headers.js'
import { withinDeadline } from './within-deadline.js'

export interface RedirectLaneParts {
  readonly routes: readonly Pick<Route, 'method' | 'path'>[]
  /** the one of them that this is the short way of */
  readonly route: Pick<Route, 'path'>
  /** what that route's object layer asks: memory, or the database */
  readonly find: (code: string) => Promise<Link | null> | Link | null
  readonly limiter: Pick<RateLimiter, 'admit' | 'passOn'>
  readonly layers: Pick<Layers, 'policy' | 'count' | 'recordsPublicReads'>
  readonly deadlineMs: number
  readonly trustedProxyHops: number
  readonly secure: boolean
  readonly corsOrigins: CorsOrigins
  readonly observe: (request: FinishedRequest) => void
}

/** The path of a code, with or without a query. */
const CODE = /^\/([A-Za-z0-9_-]{1,64})(?:\?|$)/

/** Headers that make a request more than the plain following of a link. */
const MORE = [
  'authorization',
  'policy-at-least',
  'origin',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
] as const

/**
 * The short way of what this service does most: an anonymous caller follows a link, and every layer lets them through.
 * The same limiter counts them, before anybody is asked for the link; the same snapshot decides (role and `can()`), the
 * same metrics and log line tell of it, and the answer is the same to the byte (test/http/redirect-lane.test.ts); only
 * the framework in between is left out. Whatever turns out to be not plainly that (no such link, a limit, a refusal, a
 * fault, a deadline) goes on through the whole chain, counted once, and within the time that it has left.
 */
export const redirectLane = (
  {
    routes,
    route,
    find,
    limiter,
    layers,
    deadlineMs,
    trustedProxyHops,
    secure,
    corsOrigins,
    observe,
  }: RedirectLaneParts,
  longWay: RequestListener,
): RequestListener => {
  if (layers.recordsPublicReads) return longWay
  const origins = new WeakMap<Socket, Origin>()
  // an answer that may differ from one origin to the next says so, also to who names none (cors.ts)
  const fixed = [
    ...securityHeaderList(secure),
    ...(Array.isArray(corsOrigins) && corsOrigins.length > 0 ? ['Vary', 'Origin'] : []),
  ]
  // paths of one segment that are the service's own
  const taken = new Set(routes.filter(({ method }) => method === 'get').map(({ path }) => path.slice(1)))

  const originOf = (req: IncomingMessage): Origin => {
    // a connection has one address for its life, unless proxies say whose requests it carries
    const known = trustedProxyHops === 0 ? origins.get(req.socket) : undefined
    if (known) return known
    const forwardedFor = req.headers['x-forwarded-for']
    const address = clientAddress(
      {
        remoteAddress: req.socket.remoteAddress,
        forwardedFor: typeof forwardedFor === 'string' ? forwardedFor : undefined,
      },
      trustedProxyHops,
    )
    const origin = { address, bucket: addressBucket(address) }
    origins.set(req.socket, origin)
    return origin
  }

  /**
   * The link, where every layer lets an anonymous caller follow it; null where it is not plainly so. At once where it
   * is remembered. Throws any fault.
   */
  const lookUp = (code: string, following: Following): Promise<Followed | null> | Followed | null => {
    const snapshot = layers.policy.current()
    following.revision = snapshot.revision
    if (!snapshot.mayCall(ENGINE_ROLES.anonymous, 'link:read')) return null
    const decided = (link: Link | null): Followed | null => {
      if (link === null) return null
      const decision = snapshot.decide(null, 'link:read', link)
      return decision.effect === 'allow' ? { link, decision } : null
    }
    const found = find(code)
    return found instanceof Promise
      ? withinDeadline(found, deadlineMs - (performance.now() - following.began), () => undefined).then(decided)
      : decided(found)
  }

  return (req, res) => {
    const code = plainCode(req)
    if (code === null || taken.has(code)) return longWay(req, res)
    const given = req.headers['x-request-id']
    const requestId = typeof given === 'string' && HARMLESS_ID.test(given) ? given : randomUUID()
    const { address, bucket } = originOf(req)
    const following: Following = {
      requestId,
      route: route.path,
      address,
      began: performance.now(),
      revision: undefined,
      followed: undefined,
    }
    const over = () => observe(finished(req, res, following))
    res.on('close', over)

    const goOn = (admission?: Admission) => {
      // who has left was told of
      if (res.closed) return
      res.off('close', over)
      if (admission !== undefined) limiter.passOn(req, admission)
      noteBegan(req, following.began)
      longWay(req, res)
    }
    const answer = (admission: Admission, followed: Followed | null) => {
      if (followed === null) return goOn(admission)
      const { link, decision } = (following.followed = followed)
      res
        .writeHead(302, [
          'X-Request-ID',
          requestId,
          ...fixed,
          ...admission.headers,
          'Location',
          link.target,
          'Cache-Control',
          'no-cache',
          'Policy-Revision',
          String(decision.revision),
          'Content-Length',
          '0',
        ])
        .end()
      layers.count({ effect: 'allow', rule: decision.rule, layer: 'object' })
    }
    const follow = (admission: Admission) => {
      let found: ReturnType<typeof lookUp> = null
      try {
        if (admission.allowed) found = lookUp(code, following)
      } catch {
        /* the whole chain meets it, and answers it */
      }
      if (found instanceof Promise)
        found.then(
          (followed) => answer(admission, followed),
          () => goOn(admission),
        )
      else answer(admission, found)
    }
    limiter.admit('anonymous', bucket).then(follow, () => goOn())
  }
}

interface Origin {
  readonly address: string
  readonly bucket: string
}

/** The code that a request follows, where it is nothing but that; null for every other request. */
const plainCode = (req: IncomingMessage): string | null => {
  const { method, url = '', headers } = req
  if (method !== 'GET') return null
  const code = CODE.exec(url)?.[1]
  if (code === undefined || !namesOneHost(req)) return null
  for (const name of MORE) if (headers[name] !== undefined) return null
  return code
}

interface Followed {
  readonly link: Link
  readonly decision: Decision
}

/** A request on the short way. */
interface Following {
  readonly requestId: string
  readonly route: string
  readonly address: string
  readonly began: number
  revision: number | undefined
  /** undefined until it was let through */
  followed: Followed | undefined
}

const finished = (
  req: IncomingMessage,
  res: ServerResponse,
  { requestId, route, address, began, revision, followed }: Following,
): FinishedRequest => ({
  requestId,
  method: req.method ?? 'other',
  route,
  status: followed === undefined ? CLIENT_CLOSED_REQUEST : 302,
  seconds: (performance.now() - began) / 1_000,
  bytes: undefined,
  aborted: !res.writableFinished,
  refusal: undefined,
  decision: followed?.decision,
  revision,
  userId: undefined,
  address,
  link: followed?.link.code,
  traceId: undefined,
})
