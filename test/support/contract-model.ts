import { expect } from 'chai'
import * as fc from 'fast-check'

import { ACTIONS } from '../../src/domain/action.js'
import { at, listAt, textAt } from './json.js'
import type { TestResponse, TestService, TestUser } from './service.js'

/** What the contract says there is: written down by hand, without anything of src/. */
interface World {
  readonly users: Map<Name, { role: string; suspended: boolean }>
  readonly links: Map<string, { target: string; readonly owner: Name }>
  readonly tokens: { readonly owner: Name; readonly scopes: readonly string[]; revoked: boolean }[]
  /** rows of the pool that stand */
  readonly rows: Set<number>
}

/** The service that the world is held against, and what it made under which name. */
interface Real {
  readonly service: TestService
  readonly users: ReadonlyMap<Name, TestUser>
  /** what the codes of this run begin with */
  readonly prefix: string
  readonly tokens: { readonly id: string; readonly value: string }[]
}

const NAMES = ['admin', 'ed', 'eve', 'val'] as const
type Name = (typeof NAMES)[number]
const ROLES: Readonly<Record<Name, string>> = { admin: 'admin', ed: 'editor', eve: 'editor', val: 'viewer' }

const row = (priority: number, rule: string, role: string, action: string, effect: string) => ({
  ptype: 'p',
  priority,
  rule,
  role,
  action,
  reach: 'any',
  effect,
})
/**
 * Rows that edits add and remove. The last one would let editors change what is not theirs: no edit may ever make that
 * true.
 */
const POOL = [
  row(350, 'X-1', 'editor', 'link:create', 'deny'),
  row(505, 'X-2', 'editor', 'link:update', 'deny'),
  row(525, 'X-3', 'viewer', 'link:delete', 'deny'),
  row(506, 'X-4', 'editor', 'link:update', 'allow'),
] as const
const FORBIDDEN = 3
const DENIED_BEFORE = 1

const SCOPES = [
  'link:read',
  'link:create',
  'link:update',
  'link:delete',
  'profile:update',
  'policy:write',
  'token:create',
] as const

/**
 * Who asks: nobody, a user with every scope, or the holder of a personal token (the n-th that was made, if so many
 * were).
 */
type Asker =
  | { readonly as: 'nobody' }
  | { readonly as: 'user'; readonly name: Name }
  | { readonly as: 'token'; readonly n: number }

/** The caller as the contract knows them; `undefined` where what they sent is not valid. */
type Caller =
  { readonly name: Name; readonly role: string; readonly scopes: readonly string[] | 'all' } | null | undefined

const tokenAt = (world: World, n: number) => (world.tokens.length === 0 ? undefined : n % world.tokens.length)

const callerOf = (world: World, asker: Asker): Caller => {
  if (asker.as === 'nobody') return null
  const index = asker.as === 'token' ? tokenAt(world, asker.n) : undefined
  const token = index === undefined ? undefined : world.tokens[index]
  if (asker.as === 'token' && (token === undefined || token.revoked)) return undefined
  const name = asker.as === 'user' ? asker.name : (token?.owner ?? 'ed')
  const user = world.users.get(name)
  if (user === undefined || user.suspended) return undefined
  return { name, role: user.role, scopes: token?.scopes ?? 'all' }
}

const bearerOf = (world: World, { users, tokens }: Real, asker: Asker): string | undefined => {
  if (asker.as === 'nobody') return undefined
  if (asker.as === 'user') return users.get(asker.name)?.token
  return tokens[tokenAt(world, asker.n) ?? -1]?.value ?? 'none was made'
}

/** R1 to R7 with the rows of the pool that stand. */
const can = (world: World, caller: NonNullable<Caller> | null, action: string, owner: Name | null): boolean => {
  if (action === 'link:read') return true
  if (caller === null) return false
  if (caller.role === 'admin') return true
  if (
    [...world.rows].some((n) => POOL[n]?.effect === 'deny' && POOL[n].role === caller.role && POOL[n].action === action)
  )
    return false
  if (action === 'link:create') return true
  if (action === 'profile:update') return true
  return (action === 'link:update' || action === 'link:delete') && owner === caller.name
}

const ADMINS_ALONE = new Set(['policy:write', 'user:update'])

interface Expected {
  readonly status: number
  readonly code?: string
}

/** The four layers up to the handler; undefined where they let the request through. */
const refusalOf = (
  world: World,
  caller: Caller,
  scope: string,
  action: string,
  link?: { readonly owner: Name } | null,
): Expected | undefined => {
  if (caller === undefined) return { status: 401, code: 'invalid_token' }
  if (scope !== 'public') {
    if (caller === null) return { status: 401, code: 'token_required' }
    if (caller.scopes !== 'all' && !caller.scopes.includes(scope)) return { status: 403, code: 'insufficient_scope' }
    if (ADMINS_ALONE.has(scope) && caller.role !== 'admin') return { status: 403, code: 'role_not_allowed' }
  }
  if (link === null) return { status: 404, code: 'not_found' }
  return can(world, caller, action, link?.owner ?? null) ? undefined : { status: 403, code: 'policy_denied' }
}

const expectAnswer = (answer: TestResponse, { status, code }: Expected): void => {
  expect(answer.status, answer.text).to.equal(status)
  if (code !== undefined) expect(at(answer.json, 'code')).to.equal(code)
}

type Command = fc.AsyncCommand<World, Real>

const command = (name: string, run: (world: World, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
})

const nameOf = (asker: Asker): string =>
  asker.as === 'user' ? asker.name : asker.as === 'token' ? `token ${asker.n}` : 'nobody'

const createLink = (asker: Asker, n: number, target: string): Command =>
  command(`${nameOf(asker)} makes link ${n}`, async (world, real) => {
    const code = `${real.prefix}${n}`
    const caller = callerOf(world, asker)
    const answer = await real.service.request('POST', '/links', {
      token: bearerOf(world, real, asker),
      json: { code, target },
    })
    const refusal =
      refusalOf(world, caller, 'link:create', 'link:create') ??
      (world.links.has(code) ? { status: 409, code: 'code_taken' } : undefined)
    expectAnswer(answer, refusal ?? { status: 201 })
    if (refusal === undefined && caller) {
      world.links.set(code, { target, owner: caller.name })
      expect(answer.json).to.include({ code, target, owner_id: real.users.get(caller.name)?.id })
    }
  })

const changeLink = (asker: Asker, n: number, target: string): Command =>
  command(`${nameOf(asker)} changes link ${n}`, async (world, real) => {
    const code = `${real.prefix}${n}`
    const link = world.links.get(code) ?? null
    const answer = await real.service.request('PATCH', `/links/${code}`, {
      token: bearerOf(world, real, asker),
      json: { target },
    })
    const refusal = refusalOf(world, callerOf(world, asker), 'link:update', 'link:update', link)
    expectAnswer(answer, refusal ?? { status: 200 })
    if (refusal === undefined && link) link.target = target
  })

const deleteLink = (asker: Asker, n: number): Command =>
  command(`${nameOf(asker)} deletes link ${n}`, async (world, real) => {
    const code = `${real.prefix}${n}`
    const answer = await real.service.request('DELETE', `/links/${code}`, { token: bearerOf(world, real, asker) })
    const refusal = refusalOf(
      world,
      callerOf(world, asker),
      'link:delete',
      'link:delete',
      world.links.get(code) ?? null,
    )
    expectAnswer(answer, refusal ?? { status: 204 })
    if (refusal === undefined) world.links.delete(code)
  })

const showLink = (asker: Asker, n: number): Command =>
  command(`${nameOf(asker)} looks at link ${n}`, async (world, real) => {
    const code = `${real.prefix}${n}`
    const link = world.links.get(code) ?? null
    const caller = callerOf(world, asker)
    const answer = await real.service.request('GET', `/links/${code}`, { token: bearerOf(world, real, asker) })
    const refusal = refusalOf(world, caller, 'public', 'link:read', link)
    expectAnswer(answer, refusal ?? { status: 200 })
    if (refusal !== undefined || link === null) return
    expect(answer.json).to.include({ code, target: link.target })
    const scopes = caller?.scopes ?? []
    const mayRead = scopes === 'all' || ['link:read', 'link:update'].some((scope) => scopes.includes(scope))
    expect(at(answer.json, 'owner_id') !== undefined, 'sees all of it').to.equal(
      mayRead && can(world, caller ?? null, 'link:update', link.owner),
    )
  })

const followLink = (n: number): Command =>
  command(`somebody follows link ${n}`, async (world, real) => {
    const link = world.links.get(`${real.prefix}${n}`)
    const answer = await real.service.request('GET', `/${real.prefix}${n}`)
    expectAnswer(answer, link === undefined ? { status: 404, code: 'not_found' } : { status: 302 })
    expect(answer.headers.get('Location')).to.equal(link?.target ?? null)
  })

const listLinks = (asker: Asker): Command =>
  command(`${nameOf(asker)} lists links`, async (world, real) => {
    const caller = callerOf(world, asker)
    const answer = await real.service.request('GET', `/links?limit=100&sort=code&q=${real.prefix}`, {
      token: bearerOf(world, real, asker),
    })
    const refusal = refusalOf(world, caller, 'link:read', 'link:read')
    expectAnswer(answer, refusal ?? { status: 200 })
    if (refusal !== undefined) return
    const expected = [...world.links]
      .filter(([, { owner }]) => can(world, caller ?? null, 'link:update', owner))
      .map(([code, { target }]) => ({ code, target }))
    expect(
      listAt(answer.json, 'data').map((link) => ({ code: textAt(link, 'code'), target: textAt(link, 'target') })),
    ).to.deep.equal(expected.toSorted((a, b) => (a.code < b.code ? -1 : 1)))
  })

const makeToken = (asker: Asker, scopes: readonly string[]): Command =>
  command(`${nameOf(asker)} makes a token of [${scopes.join(' ')}]`, async (world, real) => {
    const caller = callerOf(world, asker)
    const answer = await real.service.request('POST', '/users/me/tokens', {
      token: bearerOf(world, real, asker),
      json: { name: 'a token', scopes },
    })
    const refusal =
      refusalOf(world, caller, 'profile:update', 'profile:update') ??
      (caller && caller.scopes !== 'all' && !caller.scopes.includes('token:create')
        ? { status: 403, code: 'insufficient_scope' }
        : undefined) ??
      (caller && caller.scopes !== 'all' && !scopes.every((scope) => caller.scopes.includes(scope))
        ? { status: 422, code: 'validation_failed' }
        : undefined)
    expectAnswer(answer, refusal ?? { status: 201 })
    if (refusal !== undefined || !caller) return
    world.tokens.push({ owner: caller.name, scopes, revoked: false })
    real.tokens.push({ id: textAt(answer.json, 'id'), value: textAt(answer.json, 'token') })
  })

const revokeToken = (asker: Asker, n: number): Command =>
  command(`${nameOf(asker)} revokes token ${n}`, async (world, real) => {
    const index = tokenAt(world, n)
    const token = index === undefined ? undefined : world.tokens[index]
    const caller = callerOf(world, asker)
    const answer = await real.service.request(
      'DELETE',
      `/users/me/tokens/${real.tokens[index ?? -1]?.id ?? '4611686018427387904'}`,
      { token: bearerOf(world, real, asker) },
    )
    const refusal =
      refusalOf(world, caller, 'profile:update', 'profile:update') ??
      (token === undefined || token.revoked || token.owner !== caller?.name
        ? { status: 404, code: 'not_found' }
        : undefined)
    expectAnswer(answer, refusal ?? { status: 204 })
    if (refusal === undefined && token) token.revoked = true
  })

const changeUser = (
  asker: Asker,
  name: Exclude<Name, 'admin'>,
  change: { readonly role?: string; readonly suspended?: boolean },
): Command =>
  command(`${nameOf(asker)} makes ${name} ${JSON.stringify(change)}`, async (world, real) => {
    const answer = await real.service.request('PATCH', `/users/${real.users.get(name)?.id}`, {
      token: bearerOf(world, real, asker),
      json: change,
    })
    const refusal = refusalOf(world, callerOf(world, asker), 'user:update', 'user:update')
    expectAnswer(answer, refusal ?? { status: 200 })
    const user = world.users.get(name)
    if (refusal === undefined && user) Object.assign(user, change)
  })

const editPolicy = (asker: Asker, n: number): Command =>
  command(`${nameOf(asker)} turns row ${POOL[n]?.rule} over`, async (world, real) => {
    const stands = world.rows.has(n)
    const change = stands ? { add: [], remove: [POOL[n]] } : { add: [POOL[n]], remove: [] }
    const answer = await real.service.request('POST', '/policy/changes', {
      token: bearerOf(world, real, asker),
      json: { ...change, reason: 'a model of it' },
      headers: { 'If-Match': `"${real.service.policy.current().revision}"` },
    })
    const refusal =
      refusalOf(world, callerOf(world, asker), 'policy:write', 'policy:write') ??
      (breaksInvariant(new Set(stands ? [...world.rows].filter((each) => each !== n) : [...world.rows, n]))
        ? { status: 409, code: 'invariant_violated' }
        : undefined)
    expectAnswer(answer, refusal ?? { status: 200 })
    if (refusal !== undefined) return
    if (stands) world.rows.delete(n)
    else world.rows.add(n)
  })

/** The forbidden allow decides something, and so breaks an invariant, unless the deny of the same stands before it. */
const breaksInvariant = (rows: ReadonlySet<number>): boolean => rows.has(FORBIDDEN) && !rows.has(DENIED_BEFORE)

const asker: fc.Arbitrary<Asker> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NAMES).map((name) => ({ as: 'user', name }) as const) },
  { weight: 3, arbitrary: fc.nat({ max: 3 }).map((n) => ({ as: 'token', n }) as const) },
  { weight: 1, arbitrary: fc.constant({ as: 'nobody' } as const) },
)
const boss: fc.Arbitrary<Asker> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ as: 'user', name: 'admin' } as const) },
  { weight: 1, arbitrary: asker },
)
const link = fc.nat({ max: 3 })
const target = fc.nat({ max: 9 }).map((n) => `https://example.com/${n}`)
const person = fc.constantFrom('ed' as const, 'eve' as const, 'val' as const)

const commands = fc.commands(
  [
    fc.tuple(asker, link, target).map((args) => createLink(...args)),
    fc.tuple(asker, link, target).map((args) => createLink(...args)),
    fc.tuple(asker, link, target).map((args) => changeLink(...args)),
    fc.tuple(asker, link, target).map((args) => changeLink(...args)),
    fc.tuple(asker, link).map((args) => deleteLink(...args)),
    fc.tuple(asker, link).map((args) => showLink(...args)),
    link.map(followLink),
    asker.map(listLinks),
    fc.tuple(asker, fc.subarray([...SCOPES])).map((args) => makeToken(...args)),
    fc.tuple(asker, link).map((args) => revokeToken(...args)),
    fc
      .tuple(boss, person, fc.constantFrom('viewer', 'editor'))
      .map(([who, name, role]) => changeUser(who, name, { role })),
    fc.tuple(boss, person, fc.boolean()).map(([who, name, suspended]) => changeUser(who, name, { suspended })),
    fc.tuple(boss, fc.nat({ max: POOL.length - 1 })).map((args) => editPolicy(...args)),
  ],
  { maxCommands: 40, size: 'max' },
)

const ALL_SCOPES = [...ACTIONS, 'token:create'].join(' ')

let runs = 0

/**
 * Any sequence of commands leaves the service as the model says, each of them answered as it says. Throws with the
 * shortest that does not.
 */
export const holdAgainstModel = async (
  service: TestService,
  options: { readonly numRuns: number; readonly seed: number },
): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      runs += 1
      const users = new Map(
        await Promise.all(
          NAMES.map(async (name) => {
            const user = await service.addUser(ROLES[name])
            return [name, { ...user, token: await service.tokenFor(user, ALL_SCOPES) }] as const
          }),
        ),
      )
      const world: World = {
        users: new Map(NAMES.map((name) => [name, { role: ROLES[name], suspended: false }])),
        links: new Map(),
        tokens: [],
        rows: new Set(),
      }
      const real: Real = { service, users, prefix: `m${runs}-`, tokens: [] }
      try {
        await fc.asyncModelRun(() => ({ model: world, real }), sequence)
        // whatever was answered: this is what there is
        await listLinks({ as: 'user', name: 'admin' }).run(world, real)
        for (const [name, { role, suspended }] of world.users) {
          expect(
            (await service.request('GET', `/users/${users.get(name)?.id}`, { token: users.get('admin')?.token })).json,
          ).to.include({ role, suspended })
        }
      } finally {
        const restored = await service.request('POST', '/policy/revisions/1/restore', {
          token: users.get('admin')?.token,
          json: {},
        })
        expect(restored.status, restored.text).to.equal(200)
      }
    }),
    { ...options, endOnFailure: false },
  )
}
