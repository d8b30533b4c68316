import type { Decision } from './decision.js'
import type { Refusal } from './refusal.js'

/**
 * One request that is over, for whoever counts and logs. Nothing in it is the caller's own text, but the request id.
 */
export interface FinishedRequest {
  readonly requestId: string
  /** a method of HTTP, or `other` */
  readonly method: string
  /** the path's pattern in the route table, or `none`: a path itself may hold a token */
  readonly route: string
  /** 499 where the caller left before there was an answer */
  readonly status: number
  /** from the first middleware until the last byte was handed over, or the caller left */
  readonly seconds: number
  /** of the body; undefined where it is streamed */
  readonly bytes: number | undefined
  /** true where the caller left before the answer was whole */
  readonly aborted: boolean
  readonly refusal: Refusal | undefined
  /** undefined where nothing was decided */
  readonly decision: Decision | undefined
  readonly revision: number | undefined
  /** the user who asked; undefined where the gateway knew none */
  readonly userId: string | undefined
  /** of the client */
  readonly address: string
  /** the link that the request is about, once a decision about it was made: other texts in a path may be anything */
  readonly link: string | undefined
  readonly traceId: string | undefined
}
