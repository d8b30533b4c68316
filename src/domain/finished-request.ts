import type { Decision } from './decision.js'
import type { Refusal } from './refusal.js'

/** A finished request, for metrics and logs. Only the request id may contain text of the caller. */
export interface FinishedRequest {
  readonly requestId: string
  /** an HTTP method, or `other` */
  readonly method: string
  /** the pattern of the path, or `none`; a path itself may contain a token */
  readonly route: string
  /** 499 if the caller disconnected before a response */
  readonly status: number
  /** from the first middleware to the last byte, or until the caller disconnected */
  readonly seconds: number
  /** size of the body; undefined if it is streamed */
  readonly bytes: number | undefined
  /** true if the caller disconnected before the end of the response */
  readonly aborted: boolean
  readonly refusal?: Refusal | undefined
  /** undefined if the policy was not asked */
  readonly decision?: Decision | undefined
  readonly revision?: number | undefined
  /** undefined for an anonymous caller */
  readonly userId?: string | undefined
  /** the client's */
  readonly address: string
  /** the link's code, only if a decision about it was made; otherwise it would be unchecked text of the caller */
  readonly link?: string | undefined
  readonly traceId?: string | undefined
}
