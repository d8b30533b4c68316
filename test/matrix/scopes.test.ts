import { expect } from 'chai'

import { ACTIONS } from '../../src/domain/action.js'
import type { Route } from '../../src/layers/route.js'
import { oracleStatus } from '../support/oracle.js'
import { textAt } from '../support/json.js'
import { addDeletedLink, addLink, addUserToDelete, freshCode, storedLinks } from '../support/records.js'
import { operationOf, requestOf, scopeOf, subjectOf } from '../support/samples.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

/**
 * Sets of scopes: none, each alone, and all but each (so that every scope is seen to matter by itself and by its
 * absence).
 */
const SCOPE_SETS: readonly (readonly string[])[] = [
  [],
  ...ACTIONS.map((each) => [each]),
  ...ACTIONS.map((each) => ACTIONS.filter((other) => other !== each)),
]

/**
 * Whether a route is asked with a set: always if its own scope is the only one in the set or the only one missing. Of
 * the other routes every ninth, different ones for each set.
 */
const isAsked = (route: Route, index: number, scopes: readonly string[], set: number): boolean => {
  const needed = scopeOf(route)
  const isDecisive = needed !== 'public' && (scopes.length > 1 ? !scopes.includes(needed) : scopes.includes(needed))
  return isDecisive || scopes.length === 0 || (index + set) % 9 === 0
}

describe('scope x role x action', () => {
  let service: TestService
  let stranger: TestUser
  const users = new Map<string, TestUser>()
  before(async () => {
    service = await startTestService()
    stranger = await service.addUser('editor')
    for (const role of ['admin', 'editor', 'viewer', 'intern']) users.set(role, await service.addUser(role))
  })
  after(() => service.stop())

  const personalToken = async (user: TestUser, scopes: readonly string[]): Promise<string> =>
    textAt(
      (await service.request('POST', '/users/me/tokens', { token: user.token, json: { name: 'a key', scopes } })).json,
      'token',
    )

  const ask = async (
    route: Route,
    user: TestUser,
    token: string,
    scopes: readonly string[],
    owner: TestUser,
    isPersonal: boolean,
  ): Promise<void> => {
    const subject = subjectOf(route)
    const needed = scopeOf(route)
    const missing = [needed, ...(isPersonal ? [route.gateway.personalTokenScope ?? 'public'] : [])].find(
      (scope) => scope !== 'public' && !scopes.includes(scope),
    )
    const held = missing === undefined
    // a record that is there, so that what keeps it is the scope alone
    const name =
      subject === 'link'
        ? await addLink(service.db, { code: freshCode(), owner: owner.id })
        : subject === 'deleted link'
          ? await addDeletedLink(service.db, owner.id)
          : subject === 'user to delete'
            ? await addUserToDelete(service.db)
            : owner.id
    const { method, path, options, status } = requestOf(route, name)
    const answer = await service.request(method, path, { ...options, token })
    const expected = held
      ? oracleStatus({ id: user.id, role: user.role }, operationOf(route, status), {
          owner_id: subject === 'profile' ? user.id : owner.id,
        })
      : { status: 403, code: 'insufficient_scope' }
    const asked = `${user.role} with [${scopes.join(' ')}], ${route.method} ${route.path}: ${answer.text}`
    expect(answer.status, asked).to.equal(expected.status)
    if (expected.code !== undefined) expect(answer.json, asked).to.include({ code: expected.code })
    if (!held) expect(answer.headers.get('WWW-Authenticate'), asked).to.include(`scope="${missing}"`)
  }

  for (const role of ['admin', 'editor', 'viewer', 'intern']) {
    for (const [kind, tokenOf] of [
      ['an access token', (user: TestUser, scopes: readonly string[]) => service.tokenFor(user, scopes.join(' '))],
      ['a personal token', personalToken],
    ] as const) {
      it(`${kind} of a role ${role} does what both its scopes and the oracle allow`, async () => {
        const user = users.get(role)
        if (user === undefined) throw new Error(`no ${role}`)
        for (const [set, scopes] of SCOPE_SETS.entries()) {
          // where its scopes come from makes no difference to how they are checked: none and each alone will do
          if (kind === 'a personal token' && scopes.length > 1) continue
          const token = await tokenOf(user, scopes)
          for (const route of service.routes.filter((route, index) => isAsked(route, index, scopes, set)))
            await ask(
              route,
              user,
              token,
              scopes,
              scopes.length % 2 === 0 ? user : stranger,
              kind === 'a personal token',
            )
        }
      })
    }
  }

  it('an admin with only link:read deletes nothing, and changes nothing', async () => {
    const admin = users.get('admin')
    if (admin === undefined) throw new Error('no admin')
    const code = await addLink(service.db, { owner: stranger.id })
    const [links, people] = [await storedLinks(service.db), await service.db.asOwner('select * from users order by id')]
    for (const token of [await service.tokenFor(admin, 'link:read'), await personalToken(admin, ['link:read'])]) {
      for (const route of service.routes.filter(
        ({ method, gateway }) => method !== 'get' && gateway.scope !== 'public',
      )) {
        const { method, path, options } = requestOf(route, route.path.includes(':id') ? stranger.id : code)
        expect((await service.request(method, path, { ...options, token })).json, `${method} ${path}`).to.include({
          status: 403,
          code: 'insufficient_scope',
        })
      }
    }
    expect(await storedLinks(service.db)).to.deep.equal(links)
    expect(await service.db.asOwner('select * from users order by id')).to.deep.equal(people)
  })
})
