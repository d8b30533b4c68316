import { NO_DATA, NO_INPUT, NO_OBJECT } from '../layers/route.js'

/** The layers of a public GET without a record: pages, health, keys, descriptions. */
export const publicGet = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'public', quota: 'caller' },
  endpoint: 'none',
  object: NO_OBJECT,
  data: NO_DATA,
} as const
