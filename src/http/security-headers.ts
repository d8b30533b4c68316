import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import helmet from 'helmet'
import type { HelmetOptions } from 'helmet'

import { AnswerHeaders } from './answer-headers.js'

/**
 * An API is no page: nothing may be loaded, framed or run from its answers. The pages widen this for their own
 * styles and scripts.
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

/** Names and values in turn: the same for every answer, so helmet is asked once. */
export const securityHeaders = (secure: boolean): readonly string[] => {
  const headers = new AnswerHeaders()
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.setHeader = (name, value) => {
    headers.set(name, String(value))
    return response
  }
  helmet(optionsOf(secure))(response.req, response, () => undefined)
  return headers.list
}
