import type { Decision } from './decision.js'

/** The layers in the order of a request; `http` comes before them. */
export type Layer = 'http' | 'gateway' | 'endpoint' | 'object' | 'data'

interface Kind {
  readonly status: number
  readonly layer: Layer
  readonly title: string
  /** what it means or what the caller can do, true wherever the code is thrown: for refusals without a detail */
  readonly advice: string
}

/** Every refusal of the service, by its stable code. */
export const REFUSALS = {
  invalid_request: {
    status: 400,
    layer: 'http',
    title: 'The request is not valid',
    advice: 'Its first line or a header cannot be read, or something in the address.',
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
    title: 'Browsers sign in over https alone',
    advice: 'Over plain http anybody on the way could read the session.',
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
    advice: 'Whoever runs the service finds the reason in its log, under the request_id.',
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
    title: 'Too many listen already',
    advice: 'Try again when some of them have left.',
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
    title: 'Another site may not send this',
    advice: 'Only pages of this service itself may send it.',
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
    advice: 'The issuer that signs people in gave no answer that can be used. Try again in a moment.',
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
    advice: '/docs says which there are.',
  },
  unsupported_token_type: {
    status: 400,
    layer: 'gateway',
    title: 'A token of this kind is not revoked here',
    advice: 'Refresh tokens are revoked here.',
  },
  invalid_scope: {
    status: 400,
    layer: 'gateway',
    title: 'The scope is not valid',
    advice: '/docs says which there are.',
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
    advice: 'Ask whoever shared the link.',
  },
  link_expired: {
    status: 410,
    layer: 'object',
    title: 'The link has expired',
    advice: 'Its time is over, or it was followed as often as it may be.',
  },
  not_found: {
    status: 404,
    layer: 'object',
    title: 'There is no such record',
    advice: 'It never was, is gone, or is not for this caller to see.',
  },
  beyond_own_rights: {
    status: 403,
    layer: 'object',
    title: 'The edit goes beyond the rights of its maker',
    advice: 'Somebody who may do all of it themselves can make this edit.',
  },
  own_proposal: {
    status: 403,
    layer: 'object',
    title: 'Nobody decides about a proposal of their own',
    advice: 'Somebody else has to decide about it.',
  },
  others_proposal: {
    status: 403,
    layer: 'object',
    title: 'A proposal is withdrawn by who made it',
    advice: 'Who may decide about it can decline it instead.',
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
    advice: 'Send If-Match with the ETag of what was read.',
  },
  not_done: {
    status: 424,
    layer: 'data',
    title: 'Not done, because another item could not be done',
    advice: 'Mend the item that could not be done, and send all of them again.',
  },
  code_taken: { status: 409, layer: 'data', title: 'The code is taken', advice: 'Choose another code.' },
  email_taken: { status: 409, layer: 'data', title: 'The e-mail address is taken', advice: 'Use another address.' },
  conflict: {
    status: 409,
    layer: 'data',
    title: 'The record changed during the request',
    advice: 'Load it again, and repeat what is still to be done.',
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
    advice: 'Say what becomes of them: delete them, or transfer them.',
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
    advice: 'Somebody decided about it or withdrew it before: nothing was done.',
  },
  proposal_conflicts: {
    status: 409,
    layer: 'data',
    title: 'The proposal does not fit the rows in force',
    advice: 'Propose the edit anew, from the rows in force.',
  },
  proposer_lost_rights: {
    status: 409,
    layer: 'data',
    title: 'Who proposed it may not do it any more',
    advice: 'Somebody who may do it can propose it anew.',
  },
  too_many_tokens: {
    status: 409,
    layer: 'data',
    title: 'The user has too many live tokens',
    advice: 'Revoke one that nobody needs any more.',
  },
  request_in_progress: {
    status: 409,
    layer: 'data',
    title: 'A request with this Idempotency-Key is in progress',
    advice: 'Wait for its end, and send this again with the same key.',
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
    advice: 'It was used, has expired or was taken back.',
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
  /** members beside the standard ones of RFC 9457 */
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

/** 503, to be repeated in a second: no policy that could be in force is known. A refusal stays what it is. */
export const policyUnavailable = (cause: unknown): Refusal =>
  cause instanceof Refusal ? cause : new Refusal('policy_unavailable', { headers: { 'Retry-After': '1' }, cause })
