import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import helmet, { type HelmetOptions } from 'helmet'

import { AnswerHeaders } from './answer-headers.js'

/**
 * API answers are not pages: nothing may be loaded, framed or run from them. The pages relax this for their own styles
 * and scripts.
 */
const optionsOf = (secure: boolean): HelmetOptions => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
  // browsers ignore it over http; includeSubDomains would affect other services of the same domain
  strictTransportSecurity: secure ? { maxAge: 31_536_000, includeSubDomains: false } : false,
})

/** A flat list of names and values. It is the same for every answer, so helmet runs only once. */
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
