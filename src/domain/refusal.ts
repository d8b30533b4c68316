import type { Decision } from './decision.js'

/** The layers in the order of a request; `http` comes before them. */
export type Layer = 'http' | 'gateway' | 'endpoint' | 'object' | 'data'

interface Kind {
  readonly status: number
  readonly layer: Layer
  readonly title: string
  /** what the caller can do about it: the detail of a refusal that has none of its own */
  readonly advice?: string
}

/** Every refusal of the service, by its stable code. */
export const REFUSALS = {
  invalid_request: { status: 400, layer: 'http', title: 'The request is not valid' },
  malformed_json: {
    status: 400,
    layer: 'http',
    title: 'The body is not valid JSON',
    advice: 'A quote, a comma or a bracket is missing, or is one too many.',
  },
  invalid_query: { status: 400, layer: 'http', title: 'A query parameter is not valid' },
  no_route: {
    status: 404,
    layer: 'http',
    title: 'There is nothing at this address',
    advice: 'All addresses are in /docs.',
  },
  method_not_allowed: {
    status: 405,
    layer: 'http',
    title: 'The method is not allowed here',
    advice: 'The header Allow names those that are.',
  },
  body_too_large: { status: 413, layer: 'http', title: 'The body is too large' },
  unsupported_media_type: { status: 415, layer: 'http', title: 'The media type is not supported' },
  upgrade_required: { status: 426, layer: 'http', title: 'HTTP/1.1 is required here' },
  validation_failed: { status: 422, layer: 'http', title: 'A field is not valid' },
  https_required: { status: 403, layer: 'http', title: 'Browsers sign in over https alone' },
  no_mail: { status: 404, layer: 'http', title: 'This installation sends no mail' },
  not_implemented: { status: 501, layer: 'http', title: 'The method is unknown' },
  internal_error: { status: 500, layer: 'http', title: 'Something went wrong on our side' },
  database_unavailable: { status: 503, layer: 'http', title: 'The database is unavailable' },
  policy_unavailable: { status: 503, layer: 'http', title: 'The policy is temporarily unavailable' },
  exports_busy: { status: 503, layer: 'http', title: 'Too many exports are in progress' },
  too_many_listeners: { status: 503, layer: 'http', title: 'Too many listen already' },
  deadline_exceeded: { status: 503, layer: 'http', title: 'The request took too long' },

  rate_limited: { status: 429, layer: 'gateway', title: 'Too many requests' },
  token_required: {
    status: 401,
    layer: 'gateway',
    title: 'A bearer token is required',
    advice: 'Send an access token or a personal token as Authorization: Bearer TOKEN.',
  },
  invalid_token: {
    status: 401,
    layer: 'gateway',
    title: 'The bearer token is not valid',
    advice: 'It has expired or was revoked, or was issued for another service. Send it as Authorization: Bearer TOKEN.',
  },
  session_ended: { status: 401, layer: 'gateway', title: 'The session has ended' },
  cross_site: { status: 403, layer: 'gateway', title: 'Another site may not send this' },
  insufficient_scope: { status: 403, layer: 'gateway', title: 'The token lacks the required scope' },
  issuer_unavailable: { status: 503, layer: 'gateway', title: 'The token issuer is unavailable' },
  invalid_grant: { status: 400, layer: 'gateway', title: 'The credentials are not valid' },
  unsupported_grant_type: { status: 400, layer: 'gateway', title: 'The grant type is not supported' },
  unsupported_token_type: { status: 400, layer: 'gateway', title: 'A token of this kind is not revoked here' },
  invalid_scope: { status: 400, layer: 'gateway', title: 'The scope is not valid' },

  role_not_allowed: { status: 403, layer: 'endpoint', title: 'The role does not allow this endpoint' },

  password_required: { status: 403, layer: 'object', title: 'The link is guarded by a password' },
  wrong_password: { status: 403, layer: 'object', title: 'The password is wrong' },
  link_expired: { status: 410, layer: 'object', title: 'The link has expired' },
  not_found: { status: 404, layer: 'object', title: 'There is no such record' },
  beyond_own_rights: { status: 403, layer: 'object', title: 'The edit goes beyond the rights of its maker' },
  own_proposal: { status: 403, layer: 'object', title: 'Nobody decides about a proposal of their own' },
  others_proposal: { status: 403, layer: 'object', title: 'A proposal is withdrawn by who made it' },
  policy_denied: { status: 403, layer: 'object', title: 'The policy denies this' },

  precondition_failed: { status: 412, layer: 'data', title: 'The record has changed' },
  precondition_required: { status: 428, layer: 'data', title: 'If-Match is required' },
  not_done: { status: 424, layer: 'data', title: 'Not done, because another item could not be done' },
  code_taken: { status: 409, layer: 'data', title: 'The code is taken' },
  email_taken: { status: 409, layer: 'data', title: 'The e-mail address is taken' },
  conflict: { status: 409, layer: 'data', title: 'The record changed during the request' },
  last_admin: { status: 409, layer: 'data', title: 'The last active admin must remain' },
  has_links: { status: 409, layer: 'data', title: 'The user still has links' },
  too_many_links: { status: 409, layer: 'data', title: 'The user has too many links for one request' },
  invariant_violated: { status: 409, layer: 'data', title: 'The edit breaks an invariant' },
  proposal_closed: { status: 409, layer: 'data', title: 'The proposal is closed already' },
  proposal_conflicts: { status: 409, layer: 'data', title: 'The proposal does not fit the rows in force' },
  proposer_lost_rights: { status: 409, layer: 'data', title: 'Who proposed it may not do it any more' },
  too_many_tokens: { status: 409, layer: 'data', title: 'The user has too many live tokens' },
  request_in_progress: { status: 409, layer: 'data', title: 'A request with this Idempotency-Key is in progress' },
  already_created: { status: 409, layer: 'data', title: 'It exists already, and its secret cannot be shown again' },
  idempotency_key_reused: { status: 422, layer: 'data', title: 'The Idempotency-Key was used for another request' },
  gone: { status: 410, layer: 'data', title: 'This is no longer valid' },
} as const satisfies Record<string, Kind>

export type RefusalCode = keyof typeof REFUSALS

/** A field of the input and the rule that it breaks. */
export interface Fault {
  readonly field: string
  readonly message: string
}

interface Details {
  /** a sentence for the caller; never SQL, a stack, or a row that they may not see */
  readonly detail?: string | undefined
  readonly errors?: readonly Fault[] | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** for the decision log; not shown to the caller */
  readonly decision?: Decision
  /** members beside the standard ones of RFC 9457 */
  readonly extensions?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** A refused request: the only error that a caller sees (as RFC 9457 problem details, http/problem.ts). */
export class Refusal extends Error {
  readonly status: number
  readonly layer: Layer
  readonly title: string
  readonly detail: string | undefined
  readonly errors: readonly Fault[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly extensions: Readonly<Record<string, unknown>>
  readonly decision: Decision | undefined

  constructor(
    readonly code: RefusalCode,
    details: Details = {},
  ) {
    super(details.detail ?? REFUSALS[code].title, { cause: details.cause })
    this.name = 'Refusal'
    const { status, layer, title, advice }: Kind = REFUSALS[code]
    this.status = status
    this.layer = layer
    this.title = title
    this.detail = details.detail ?? advice
    this.errors = details.errors
    this.headers = details.headers ?? {}
    this.extensions = details.extensions ?? {}
    this.decision = details.decision
  }
}
