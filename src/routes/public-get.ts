import { NO_DATA, NO_INPUT, NO_OBJECT } from '../layers/route.js'

/** A GET that everybody may send, about no record: pages, health, keys, descriptions. */
export const publicGet = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'public', quota: 'caller' },
  endpoint: 'none',
  object: NO_OBJECT,
  data: NO_DATA,
} as const
