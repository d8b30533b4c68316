import type { Decision } from './decision.js'

/** The layers in the order of a request; `http` comes before them. */
export type Layer = 'http' | 'gateway' | 'endpoint' | 'object' | 'data'

interface Kind {
  readonly status: number
  readonly layer: Layer
  readonly title: string
  /** what it means or what the caller can do, for refusals without a detail; true wherever the code is thrown */
  readonly advice: string
}

/** Every refusal of the service, by its stable code. */
export const REFUSALS = {
  invalid_request: {
    status: 400,
    layer: 'http',
    title: 'The request is not valid',
    advice: 'Its first line, a header or a part of its address cannot be read.',
  },
  malformed_json: {
    status: 400,
    layer: 'http',
    title: 'The body is not valid JSON',
    advice: 'A quote, a comma or a bracket is missing, or is one too many.',
  },
  invalid_query: {
    status: 400,
    layer: 'http',
    title: 'A query parameter is not valid',
    advice: '/docs says which parameters each address takes.',
  },
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
  body_too_large: { status: 413, layer: 'http', title: 'The body is too large', advice: 'Send less at once.' },
  unsupported_media_type: {
    status: 415,
    layer: 'http',
    title: 'The media type is not supported',
    advice: '/docs says which media types each address takes.',
  },
  upgrade_required: {
    status: 426,
    layer: 'http',
    title: 'HTTP/1.1 is required here',
    advice: 'Ask again over HTTP/1.1.',
  },
  validation_failed: {
    status: 422,
    layer: 'http',
    title: 'A field is not valid',
    advice: '/docs says which fields each address takes.',
  },
  https_required: {
    status: 403,
    layer: 'http',
    title: 'Browsers can sign in only over https',
    advice: 'Over plain http, anybody on the way could read the session.',
  },
  no_mail: { status: 404, layer: 'http', title: 'This installation sends no mail', advice: 'Ask an admin instead.' },
  not_implemented: {
    status: 501,
    layer: 'http',
    title: 'The method is unknown',
    advice: '/docs says which methods each address takes.',
  },
  internal_error: {
    status: 500,
    layer: 'http',
    title: 'Something went wrong on our side',
    advice: 'The operator can find the reason in the service log, by the request_id.',
  },
  database_unavailable: {
    status: 503,
    layer: 'http',
    title: 'The database is unavailable',
    advice: 'Try again in a moment.',
  },
  policy_unavailable: {
    status: 503,
    layer: 'http',
    title: 'The policy is temporarily unavailable',
    advice: 'Try again in a moment.',
  },
  exports_busy: {
    status: 503,
    layer: 'http',
    title: 'Too many exports are in progress',
    advice: 'Try again when one of them has ended.',
  },
  too_many_listeners: {
    status: 503,
    layer: 'http',
    title: 'There are too many listeners',
    advice: 'Try again when some of them have disconnected.',
  },
  deadline_exceeded: {
    status: 503,
    layer: 'http',
    title: 'The request took too long',
    advice: 'Try again in a moment, or ask for less at once.',
  },

  rate_limited: { status: 429, layer: 'gateway', title: 'Too many requests', advice: 'Wait before the next one.' },
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
  session_ended: { status: 401, layer: 'gateway', title: 'The session has ended', advice: 'Sign in again.' },
  cross_site: {
    status: 403,
    layer: 'gateway',
    title: 'Other sites may not send this request',
    advice: 'Only pages of this service may send it.',
  },
  insufficient_scope: {
    status: 403,
    layer: 'gateway',
    title: 'The token lacks the required scope',
    advice: 'Use a token with the scope that this needs.',
  },
  issuer_unavailable: {
    status: 503,
    layer: 'gateway',
    title: 'The token issuer is unavailable',
    advice: 'The token issuer gave no usable answer. Try again in a moment.',
  },
  invalid_grant: {
    status: 400,
    layer: 'gateway',
    title: 'The credentials are not valid',
    advice: 'Check them, or sign in again.',
  },
  unsupported_grant_type: {
    status: 400,
    layer: 'gateway',
    title: 'The grant type is not supported',
    advice: '/docs lists the supported ones.',
  },
  unsupported_token_type: {
    status: 400,
    layer: 'gateway',
    title: 'A token of this kind cannot be revoked here',
    advice: 'Only refresh tokens can be revoked here.',
  },
  invalid_scope: {
    status: 400,
    layer: 'gateway',
    title: 'The scope is not valid',
    advice: '/docs lists the valid ones.',
  },

  role_not_allowed: {
    status: 403,
    layer: 'endpoint',
    title: 'The role does not allow this endpoint',
    advice: 'An admin can give another role, or let this one do more.',
  },

  password_required: {
    status: 403,
    layer: 'object',
    title: 'The link is guarded by a password',
    advice: 'Send the password to this address by POST, as the field password.',
  },
  wrong_password: {
    status: 403,
    layer: 'object',
    title: 'The password is wrong',
    advice: 'Ask the person who shared the link.',
  },
  link_expired: {
    status: 410,
    layer: 'object',
    title: 'The link has expired',
    advice: 'It is past its end, or has reached its limit of visits.',
  },
  not_found: {
    status: 404,
    layer: 'object',
    title: 'There is no such record',
    advice: 'It never existed, was deleted, or is not visible to this caller.',
  },
  beyond_own_rights: {
    status: 403,
    layer: 'object',
    title: 'The edit goes beyond the rights of its maker',
    advice: 'Somebody who has all of these rights can make it.',
  },
  own_proposal: {
    status: 403,
    layer: 'object',
    title: 'Nobody may decide on their own proposal',
    advice: 'Somebody else has to decide on it.',
  },
  others_proposal: {
    status: 403,
    layer: 'object',
    title: 'Only its author can withdraw a proposal',
    advice: 'Anybody who may decide on it can decline it instead.',
  },
  policy_denied: {
    status: 403,
    layer: 'object',
    title: 'The policy denies this',
    advice: 'The rules in force do not let this caller do this here.',
  },

  precondition_failed: {
    status: 412,
    layer: 'data',
    title: 'A precondition does not hold',
    advice: 'Load it again, and send If-Match with the new ETag.',
  },
  precondition_required: {
    status: 428,
    layer: 'data',
    title: 'If-Match is required',
    advice: 'Send If-Match with the ETag of the version that you read.',
  },
  not_done: {
    status: 424,
    layer: 'data',
    title: 'Not done, because another item failed',
    advice: 'Fix the item that failed, and send all of them again.',
  },
  code_taken: { status: 409, layer: 'data', title: 'The code is taken', advice: 'Choose another code.' },
  email_taken: { status: 409, layer: 'data', title: 'The e-mail address is taken', advice: 'Use another address.' },
  conflict: {
    status: 409,
    layer: 'data',
    title: 'The record changed during the request',
    advice: 'Load it again, and repeat the change if it is still needed.',
  },
  last_admin: {
    status: 409,
    layer: 'data',
    title: 'The last active admin must remain',
    advice: 'Make somebody else an admin first.',
  },
  has_links: {
    status: 409,
    layer: 'data',
    title: 'The user still has links',
    advice: 'Say what happens to them: delete them, or transfer them.',
  },
  too_many_links: {
    status: 409,
    layer: 'data',
    title: 'The user has too many links for one request',
    advice: 'Delete or transfer some of them first.',
  },
  invariant_violated: {
    status: 409,
    layer: 'data',
    title: 'The edit breaks an invariant',
    advice: 'The violations say which, and what would break it.',
  },
  proposal_closed: {
    status: 409,
    layer: 'data',
    title: 'The proposal is closed already',
    advice: 'It was already decided on or withdrawn: nothing was done.',
  },
  proposal_conflicts: {
    status: 409,
    layer: 'data',
    title: 'The proposal does not fit the rows in force',
    advice: 'Propose the edit again, based on the rows in force.',
  },
  proposer_lost_rights: {
    status: 409,
    layer: 'data',
    title: 'The proposer no longer has the rights for it',
    advice: 'Somebody who has them can propose it again.',
  },
  too_many_tokens: {
    status: 409,
    layer: 'data',
    title: 'The user has too many live tokens',
    advice: 'Revoke one that is no longer needed.',
  },
  request_in_progress: {
    status: 409,
    layer: 'data',
    title: 'A request with this Idempotency-Key is in progress',
    advice: 'Wait until it ends, and send this again with the same key.',
  },
  already_created: {
    status: 409,
    layer: 'data',
    title: 'It exists already, and its secret cannot be shown again',
    advice: 'Delete it, and make another with another Idempotency-Key.',
  },
  idempotency_key_reused: {
    status: 422,
    layer: 'data',
    title: 'The Idempotency-Key was used for another request',
    advice: 'Use another key for another request.',
  },
  gone: {
    status: 410,
    layer: 'data',
    title: 'This is no longer valid',
    advice: 'It was used, has expired or was withdrawn.',
  },
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
  /** members in addition to the standard ones of RFC 9457 */
  readonly extensions?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** A refused request: the only error that a caller sees (as RFC 9457 problem details, http/problem.ts). */
export class Refusal extends Error {
  readonly status: number
  readonly layer: Layer
  readonly title: string
  readonly advice: string
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
    this.advice = advice
    this.detail = details.detail
    this.errors = details.errors
    this.headers = details.headers ?? {}
    this.extensions = details.extensions ?? {}
    this.decision = details.decision
  }
}

/** 503 with a Retry-After of one second, because no usable policy is loaded. Returns a Refusal unchanged. */
export const policyUnavailable = (cause: unknown): Refusal =>
  cause instanceof Refusal ? cause : new Refusal('policy_unavailable', { headers: { 'Retry-After': '1' }, cause })
