import { REFUSALS, type RefusalCode } from '../domain/refusal.js'
import { asksPolicy, type Route } from '../layers/route.js'

/** Problems of every route: the rate limit, an invalid token, the headers, and our own outages. */
const ANYWHERE = [
  'invalid_request',
  'invalid_token',
  'rate_limited',
  'internal_error',
  'database_unavailable',
  'policy_unavailable',
  'issuer_unavailable',
  'deadline_exceeded',
] as const satisfies readonly RefusalCode[]

/** Why a body is refused. A standard may want one code for everything but its size. */
const ofBody = ({ body, accepts, inputFault }: Route): readonly RefusalCode[] => {
  if (body === undefined) return []
  if (inputFault !== undefined) return [inputFault, 'body_too_large']
  return [
    ...(accepts.includes('json') ? (['malformed_json'] as const) : []),
    'body_too_large',
    'unsupported_media_type',
    'validation_failed',
  ]
}

/** The codes of a route's problems, in the order of their statuses: those of its layers, and its own. */
export const problemsOf = (route: Route): readonly RefusalCode[] => {
  const { gateway, objectAction, path, query, isChange, idempotent, documentation } = route
  const decided = objectAction !== 'none' || gateway.scope === 'items'
  const codes: readonly RefusalCode[] = [
    ...ANYWHERE,
    ...(gateway.scope === 'public' ? [] : (['token_required', 'insufficient_scope'] as const)),
    ...(gateway.from === undefined ? [] : (['cross_site'] as const)),
    ...(asksPolicy(route) ? (['role_not_allowed', 'precondition_failed'] as const) : []),
    ...(decided ? (['policy_denied'] as const) : []),
    ...(path.includes(':') ? (['not_found'] as const) : []),
    ...(query !== undefined || gateway.scope !== 'public' ? (['invalid_query'] as const) : []),
    ...ofBody(route),
    ...(isChange ? (['conflict'] as const) : []),
    ...(idempotent ? (['request_in_progress', 'already_created', 'idempotency_key_reused'] as const) : []),
    ...(documentation.refusals ?? []),
  ]
  return [...new Set(codes)].sort((a, b) => REFUSALS[a].status - REFUSALS[b].status)
}
