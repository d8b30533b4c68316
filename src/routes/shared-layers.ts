import { NO_DATA, NO_INPUT, noRecord } from '../layers/route.js'

/** The layers of every route that reads the policy. Rows and proposals have no owner, so no record is loaded. */
export const READING_POLICY = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'policy:read', quota: 'caller' },
  endpoint: 'policy:read',
  object: { action: 'policy:read', load: noRecord },
  data: NO_DATA,
} as const

/** The first three layers of every route that changes the policy. */
export const WRITING_POLICY = {
  method: 'post',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'policy:write', quota: 'caller' },
  endpoint: 'policy:write',
  object: { action: 'policy:write', load: noRecord },
} as const

/** The first three layers of every route that reads the decision log. */
export const READING_LOG = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'audit:read', quota: 'caller' },
  endpoint: 'audit:read',
  object: { action: 'audit:read', load: noRecord },
} as const
