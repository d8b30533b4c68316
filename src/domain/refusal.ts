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

const refusedBy =
  (layer: Layer) =>
  (status: number, title: string, advice: string): Kind => ({ status, layer, title, advice })

const http = refusedBy('http')
const gateway = refusedBy('gateway')
const endpoint = refusedBy('endpoint')
const object = refusedBy('object')
const data = refusedBy('data')

/** Every refusal of the service, by its stable code: the layer, the status, the title and the advice. */
export const REFUSALS = {
  invalid_request: http(
    400,
    'The request is not valid',
    'Its first line, a header or a part of its address cannot be read.',
  ),
  malformed_json: http(
    400,
    'The body is not valid JSON',
    'A quote, a comma or a bracket is missing, or is one too many.',
  ),
  invalid_query: http(400, 'A query parameter is not valid', '/docs says which parameters each address takes.'),
  no_route: http(404, 'There is nothing at this address', 'All addresses are in /docs.'),
  method_not_allowed: http(405, 'The method is not allowed here', 'The header Allow names those that are.'),
  body_too_large: http(413, 'The body is too large', 'Send less at once.'),
  unsupported_media_type: http(
    415,
    'The media type is not supported',
    '/docs says which media types each address takes.',
  ),
  upgrade_required: http(426, 'HTTP/1.1 is required here', 'Ask again over HTTP/1.1.'),
  validation_failed: http(422, 'A field is not valid', '/docs says which fields each address takes.'),
  https_required: http(
    403,
    'Browsers can sign in only over https',
    'Over plain http, anybody on the way could read the session.',
  ),
  no_mail: http(404, 'This installation sends no mail', 'Ask an admin instead.'),
  not_implemented: http(501, 'The method is unknown', '/docs says which methods each address takes.'),
  internal_error: http(
    500,
    'Something went wrong on our side',
    'The operator can find the reason in the service log, by the request_id.',
  ),
  database_unavailable: http(503, 'The database is unavailable', 'Try again in a moment.'),
  policy_unavailable: http(503, 'The policy is temporarily unavailable', 'Try again in a moment.'),
  exports_busy: http(503, 'Too many exports are in progress', 'Try again when one of them has ended.'),
  too_many_listeners: http(503, 'There are too many listeners', 'Try again when some of them have disconnected.'),
  deadline_exceeded: http(503, 'The request took too long', 'Try again in a moment, or ask for less at once.'),

  rate_limited: gateway(429, 'Too many requests', 'Wait before the next one.'),
  token_required: gateway(
    401,
    'A bearer token is required',
    'Send an access token or a personal token as Authorization: Bearer TOKEN.',
  ),
  invalid_token: gateway(
    401,
    'The bearer token is not valid',
    'It has expired or was revoked, or was issued for another service. Send it as Authorization: Bearer TOKEN.',
  ),
  session_ended: gateway(401, 'The session has ended', 'Sign in again.'),
  cross_site: gateway(403, 'Other sites may not send this request', 'Only pages of this service may send it.'),
  insufficient_scope: gateway(403, 'The token lacks the required scope', 'Use a token with the scope that this needs.'),
  issuer_unavailable: gateway(
    503,
    'The token issuer is unavailable',
    'The token issuer gave no usable answer. Try again in a moment.',
  ),
  invalid_grant: gateway(400, 'The credentials are not valid', 'Check them, or sign in again.'),
  unsupported_grant_type: gateway(400, 'The grant type is not supported', '/docs lists the supported ones.'),
  unsupported_token_type: gateway(
    400,
    'A token of this kind cannot be revoked here',
    'Only refresh tokens can be revoked here.',
  ),
  invalid_scope: gateway(400, 'The scope is not valid', '/docs lists the valid ones.'),

  role_not_allowed: endpoint(
    403,
    'The role does not allow this endpoint',
    'An admin can give another role, or let this one do more.',
  ),

  password_required: object(
    403,
    'The link is guarded by a password',
    'Send the password to this address by POST, as the field password.',
  ),
  wrong_password: object(403, 'The password is wrong', 'Ask the person who shared the link.'),
  link_expired: object(410, 'The link has expired', 'It is past its end, or has reached its limit of visits.'),
  not_found: object(404, 'There is no such record', 'It never existed, was deleted, or is not visible to this caller.'),
  beyond_own_rights: object(
    403,
    'The edit goes beyond the rights of its maker',
    'Somebody who has all of these rights can make it.',
  ),
  own_proposal: object(
    403,
    'Nobody may decide on their own proposal',
    'Somebody else has to decide on it. DELETE withdraws it.',
  ),
  others_proposal: object(
    403,
    'Only its author can withdraw a proposal',
    'Anybody who may decide on it can decline it instead.',
  ),
  policy_denied: object(403, 'The policy denies this', 'The rules in force do not let this caller do this here.'),

  precondition_failed: data(412, 'A precondition does not hold', 'Load it again, and send If-Match with the new ETag.'),
  precondition_required: data(428, 'If-Match is required', 'Send If-Match with the ETag of the version that you read.'),
  not_done: data(424, 'Not done, because another item failed', 'Fix the item that failed, and send all of them again.'),
  code_taken: data(409, 'The code is taken', 'Choose another code.'),
  email_taken: data(409, 'The e-mail address is taken', 'Use another address.'),
  conflict: data(
    409,
    'The record changed during the request',
    'Load it again, and repeat the change if it is still needed.',
  ),
  last_admin: data(409, 'The last active admin must remain', 'Make somebody else an admin first.'),
  has_links: data(409, 'The user still has links', 'Say what happens to them: delete them, or transfer them.'),
  too_many_links: data(409, 'The user has too many links for one request', 'Delete or transfer some of them first.'),
  invariant_violated: data(409, 'The edit breaks an invariant', 'The violations say which, and what would break it.'),
  proposal_closed: data(
    409,
    'The proposal is closed already',
    'It was already decided on or withdrawn: nothing was done.',
  ),
  proposal_conflicts: data(
    409,
    'The proposal does not fit the rows in force',
    'Propose the edit again, based on the rows in force.',
  ),
  proposer_lost_rights: data(
    409,
    'The proposer no longer has the rights for it',
    'Somebody who has them can propose it again.',
  ),
  too_many_tokens: data(409, 'The user has too many live tokens', 'Revoke one that is no longer needed.'),
  request_in_progress: data(
    409,
    'A request with this Idempotency-Key is in progress',
    'Wait until it ends, and send this again with the same key.',
  ),
  already_created: data(
    409,
    'It exists already, and its secret cannot be shown again',
    'Delete it, and make another with another Idempotency-Key.',
  ),
  idempotency_key_reused: data(
    422,
    'The Idempotency-Key was used for another request',
    'Use another key for another request.',
  ),
  gone: data(410, 'This is no longer valid', 'It was used, has expired or was withdrawn.'),
}

export type RefusalCode = keyof typeof REFUSALS

/** A field of the input and the rule that it breaks. */
export interface Fault {
  readonly field: string
  readonly message: string
}

/** How many faults an answer lists; its `detail` counts them all. A large body can have hundreds of thousands. */
export const MOST_ERRORS = 50

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
    const { status, layer, title, advice } = REFUSALS[code]
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
