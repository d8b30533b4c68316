import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import type { CorsOrigins } from '../config.js'
import type { Decision } from '../domain/decision.js'
import type { FinishedRequest } from '../domain/finished-request.js'
import type { Link } from '../domain/link.js'
import { addressBucket, clientAddress } from '../layers/1-gateway/address.js'
import type { RateLimiter } from '../layers/1-gateway/rate-limit.js'
import type { Layers, Route } from '../layers/route.js'
import { HARMLESS_ID } from './request-id.js'
import { HOST } from './require-one-host.js'
import { securityHeaderList } from './security-headers.js'

export interface RedirectLaneParts {
  /** the route that this is the short way of */
  readonly route: Pick<Route, 'path'>
  /** a link that memory may answer for at this moment (layers/4-data/link-cache.ts); undefined: ask the long way */
  readonly recall: (code: string) => Link | undefined
  readonly limiter: Pick<RateLimiter, 'admit'>
  readonly layers: Pick<Layers, 'policy' | 'count' | 'recordsPublicReads'>
  readonly trustedProxyHops: number
  readonly secure: boolean
  readonly corsOrigins: CorsOrigins
  readonly observe: (request: FinishedRequest) => void
}

/** The path of a code, with or without a query; not the paths of one segment that are the service's own. */
const CODE = /^\/([A-Za-z0-9_-]{1,64})(?:\?|$)/

/** Headers that make a request more than the plain following of a link. */
const MORE = ['authorization', 'policy-at-least', 'origin', 'content-length', 'transfer-encoding', 'expect', 'upgrade'] as const

/**
 * The short way of what this service does most: an anonymous caller follows a link that memory holds and every layer lets
 * through. The same limiter counts them, the same snapshot decides (role and `can()`), the same metrics and log line tell of
 * it, and the answer is the same to the byte (test/http/redirect-lane.test.ts); only the framework in between is left out.
 * Whatever is not plainly that, and every refusal, goes the long way through the whole chain.
 */
export const redirectLane = ({ route, recall, limiter, layers, trustedProxyHops, secure, corsOrigins, observe }: RedirectLaneParts, longWay: RequestListener): RequestListener => {
  if (layers.recordsPublicReads) return longWay
  const origins = new WeakMap<Socket, Origin>()
  // an answer that may differ from one origin to the next says so, also to who names none (cors.ts)
  const fixed = [...securityHeaderList(secure), ...(Array.isArray(corsOrigins) && corsOrigins.length > 0 ? ['Vary', 'Origin'] : [])]

  const originOf = (req: IncomingMessage): Origin => {
    // a connection has one address for its life, unless proxies say whose requests it carries
    const known = trustedProxyHops === 0 ? origins.get(req.socket) : undefined
    if (known) return known
    const forwardedFor = req.headers['x-forwarded-for']
    const address = clientAddress({ remoteAddress: req.socket.remoteAddress, forwardedFor: typeof forwardedFor === 'string' ? forwardedFor : undefined }, trustedProxyHops)
    const origin = { address, bucket: addressBucket(address) }
    origins.set(req.socket, origin)
    return origin
  }

  return (req, res) => {
    const code = plainCode(req)
    const link = code === null ? undefined : recall(code)
    if (link === undefined) return longWay(req, res)
    const snapshot = layers.policy.current()
    const decision = snapshot.decide(null, 'link:read', link)
    if (decision.effect !== 'allow' || !snapshot.mayCall(decision.role, 'link:read')) return longWay(req, res)
    const began = performance.now()
    const origin = originOf(req)
    const answer = (limits: readonly string[] | null): void => {
      // over the limit: the long way counts it, too, and refuses it
      if (limits === null) return void longWay(req, res)
      const given = req.headers['x-request-id']
      const requestId = typeof given === 'string' && HARMLESS_ID.test(given) ? given : randomUUID()
      res.once('close', () => observe(finished(req, res, { requestId, decision, began, route: route.path, link, address: origin.address })))
      res.writeHead(302, [
        'X-Request-ID', requestId, ...fixed, ...limits, 'Location', link.target, 'Cache-Control', 'no-cache', 'Policy-Revision', String(snapshot.revision), 'Content-Length', '0',
      ]).end()
      layers.count({ effect: 'allow', rule: decision.rule, layer: 'object' })
    }
    limiter.admit('anonymous', origin.bucket).then(answer, () => longWay(req, res))
  }
}

interface Origin { readonly address: string; readonly bucket: string }

/** The code that a request follows, where it is nothing but that; null for every other request. */
const plainCode = ({ method, url = '', headers, rawHeaders }: IncomingMessage): string | null => {
  if (method !== 'GET') return null
  const code = CODE.exec(url)?.[1]
  if (code === undefined || !HOST.test(headers.host ?? '')) return null
  for (const name of MORE) if (headers[name] !== undefined) return null
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 ? code : null
}

interface Followed { readonly requestId: string; readonly decision: Decision; readonly began: number; readonly route: string; readonly link: Link; readonly address: string }

const finished = (req: IncomingMessage, res: ServerResponse, { requestId, decision, began, route, link, address }: Followed): FinishedRequest => ({
  requestId,
  method: req.method ?? 'other',
  route,
  status: 302,
  seconds: (performance.now() - began) / 1_000,
  bytes: undefined,
  aborted: !res.writableFinished,
  refusal: undefined,
  decision,
  revision: decision.revision,
  userId: undefined,
  address,
  link: link.code,
  traceId: undefined,
})
