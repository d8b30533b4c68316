import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import helmet from 'helmet'
import type { HelmetOptions } from 'helmet'
import type { Context, Next } from 'koa'

/**
 * An API is no page: nothing may be loaded, framed or run from its answers. The docs page widens this for its own
 * style.
 */
const optionsOf = (secure: boolean): HelmetOptions => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
  // over http a browser ignores it, and a service that is reached both ways must not speak for its neighbours
  strictTransportSecurity: secure ? { maxAge: 31_536_000, includeSubDomains: false } : false,
})

/** What they are, as names and values: the same for every answer, so helmet is asked once. */
export const securityHeaderList = (secure: boolean): readonly string[] => {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  helmet(optionsOf(secure))(request, response, () => undefined)
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => [name, String(value)])
}

/** Sets them on every answer. */
export const securityHeaders = (secure: boolean) => {
  const list = securityHeaderList(secure)
  return ({ res }: Context, next: Next): Promise<void> => {
    for (let i = 0; i < list.length; i += 2) res.setHeader(list[i] ?? '', list[i + 1] ?? '')
    return next()
  }
}
