import type { Link } from '../../src/domain/link.js'
import { NO_INPUT, type Route } from '../../src/layers/route.js'
import { NO_DATA, NO_OBJECT, type DataRule } from '../../src/layers/rules.js'
import { route } from '../../src/layers/compose.js'
import type { Links } from '../../src/layers/4-data/links.js'

// Not run: `npm run typecheck` reads it. Each `@ts-expect-error` fails the check as soon as the line below it compiles.

declare const link: Link
declare const links: DataRule<Links>

const named = {
  method: 'delete',
  path: '/x',
  status: 204,
  ...NO_INPUT,
  documentation: { id: '', summary: '', tag: 'links' },
} as const
const gateway = { gateway: { scope: 'link:delete', quota: 'caller' } } as const
const endpoint = { endpoint: 'link:delete' } as const
const object = { object: { action: 'link:delete', load: () => link } } as const
const data = { data: links } as const
const handle = () => ({ status: 204 })

export const whole = route({ ...named, ...gateway, ...endpoint, ...object, ...data, handle })

// @ts-expect-error a route without a gateway does not compile
export const withoutGateway = route({ ...named, ...endpoint, ...object, ...data, handle })

// @ts-expect-error a route without an endpoint rule does not compile
export const withoutEndpoint = route({ ...named, ...gateway, ...object, ...data, handle })

// @ts-expect-error a route without an object rule does not compile
export const withoutObject = route({ ...named, ...gateway, ...endpoint, ...data, handle })

// @ts-expect-error a route without a data rule does not compile
export const withoutData = route({ ...named, ...gateway, ...endpoint, ...object, handle })

// @ts-expect-error a gateway that names no scope does not compile
export const withoutScope = route({ ...named, gateway: { quota: 'caller' }, ...endpoint, ...object, ...data, handle })

export const withoutQuota = route({
  ...named,
  // @ts-expect-error a gateway that does not say whose requests are counted does not compile
  gateway: { scope: 'link:delete' },
  ...endpoint,
  ...object,
  ...data,
  handle,
})

export const withRecord = route({
  ...named,
  ...gateway,
  ...endpoint,
  ...object,
  ...data,
  handle: ({ record }) => ({ status: 200, body: record.target }),
})

export const noRecord = route({
  ...named,
  ...gateway,
  ...endpoint,
  object: NO_OBJECT,
  ...data,
  // @ts-expect-error object 'none' gives the handler no record
  handle: ({ record }) => ({ status: 200, body: record.target }),
})

export const withStore = route({
  ...named,
  ...gateway,
  ...endpoint,
  ...object,
  ...data,
  handle: async ({ store, record }) => {
    await store.delete(record)
    return { status: 204 }
  },
})

export const noStore = route({
  ...named,
  ...gateway,
  ...endpoint,
  ...object,
  data: NO_DATA,
  handle: async ({ store, record }) => {
    // @ts-expect-error data 'none' gives the handler no store
    await store.delete(record)
    return { status: 204 }
  },
})

const part = { part: { asked: () => true, action: 'link:update', data: links } } as const

export const withPart = route({
  ...named,
  ...gateway,
  ...endpoint,
  ...object,
  data: NO_DATA,
  ...part,
  handle: async ({ part, record }) => {
    await part?.delete(record)
    // @ts-expect-error a part that the request did not ask for is not there
    await part.delete(record)
    return { status: 204 }
  },
})

export const noPart = route({
  ...named,
  ...gateway,
  ...endpoint,
  ...object,
  data: NO_DATA,
  handle: ({ part }) => {
    // @ts-expect-error a route without a part gives the handler none
    void part.delete
    return { status: 204 }
  },
})

// @ts-expect-error the table takes no route that was not composed: route() is the only way to make one
export const byHand: Route = { ...named, ...gateway, ...endpoint, ...object, ...data, handle }
