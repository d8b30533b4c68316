import type { Client, ManagedLink } from '../../src/client/client.js'

// Not run: `npm run typecheck` reads it, as test/layers/route.type-test.ts.

declare const client: Client
declare const link: ManagedLink

/** A program's own tests make links, whose ids are text. */
export const made: ManagedLink = { ...link, id: '42', owner_id: '7' }

export const counted = client.listLinks({ limit: 10, count: true, q: 'spring' })
export const withBots = client.getVisits({ bots: true })
export const token = client.createPersonalToken({ name: 'import', scopes: ['link:read', 'token:create'] })

// @ts-expect-error a misspelt scope
export const misspelt = client.createPersonalToken({ name: 'import', scopes: ['links:read'] })
// @ts-expect-error a text is no boolean
export const searched = client.listLinks({ q: true })
// @ts-expect-error a number is no boolean
export const limited = client.listUsers({ limit: true })
