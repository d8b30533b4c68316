import { expect } from 'chai'

import { openPool } from '../../src/database/pool.js'
import { createAccounts } from '../../src/identity/accounts.js'
import { createPasswords } from '../../src/identity/password.js'
import { ask } from '../support/ask.js'
import { testDatabase } from '../support/database.js'
import { at, textAt } from '../support/json.js'
import { onDatabase, startNode, type ServiceNode } from '../support/node.js'
import { madeSigningKey } from '../support/signing-key.js'

const PASSWORD = 'correct horse battery'

describe('a token on two processes', () => {
  let one: ServiceNode
  let two: ServiceNode
  let adminId: string
  before(async () => {
    const db = await testDatabase()
    const pool = openPool({ connection: db.service, size: 1, deadlineMs: 5_000 })
    const passwordHash = await (await createPasswords()).hash(PASSWORD)
    for (const name of ['root', 'ada']) {
      const { id } = await createAccounts(pool).add({ email: `${name}@example.com`, role: 'admin', name, passwordHash })
      if (name === 'root') adminId = id
    }
    await pool.close()
    const environment = {
      ...onDatabase(db.service, db.owner),
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
    }
    // both at once: the signing key is made by one of them, and read by the other
    ;[one, two] = await Promise.all([startNode(environment), startNode(environment)])
  })
  after(async () => {
    await one?.stop()
    await two?.stop()
  })

  const signIn = async (node: ServiceNode, name: string) =>
    (
      await ask(node.baseUrl, 'POST', '/auth/token', {
        json: { grant_type: 'password', username: `${name}@example.com`, password: PASSWORD },
      })
    ).json
  const me = async (node: ServiceNode, token: string) => (await ask(node.baseUrl, 'GET', '/users/me', { token })).status

  it('an access token of one is valid on the other, and ends on both with a sign-out on either', async () => {
    const answer = await signIn(one, 'root')
    const token = textAt(answer, 'access_token')
    expect([await me(one, token), await me(two, token)]).to.deep.equal([200, 200])
    const next = await ask(two.baseUrl, 'POST', '/auth/token', {
      json: { grant_type: 'refresh_token', refresh_token: textAt(answer, 'refresh_token') },
    })
    expect(await me(one, textAt(next.json, 'access_token'))).to.equal(200)
    expect(
      (await ask(two.baseUrl, 'POST', '/auth/revoke', { json: { token: textAt(next.json, 'refresh_token') } })).status,
    ).to.equal(200)
    expect([await me(one, token), await me(two, token)]).to.deep.equal([401, 401])
  })

  it('a personal token made on one is revoked on both by the other', async () => {
    const token = textAt(await signIn(one, 'root'), 'access_token')
    const made = await ask(one.baseUrl, 'POST', '/users/me/tokens', {
      token,
      json: { name: 'a key', scopes: ['profile:read'] },
    })
    const personal = textAt(made.json, 'token')
    expect([await me(one, personal), await me(two, personal)]).to.deep.equal([200, 200])
    expect(
      (await ask(two.baseUrl, 'DELETE', `/users/me/tokens/${textAt(made.json, 'id')}`, { token })).status,
    ).to.equal(204)
    expect([await me(one, personal), await me(two, personal)]).to.deep.equal([401, 401])
  })

  it('one refresh token sent to both at once is accepted once, and its sign-in ends', async () => {
    for (let round = 0; round < 5; round++) {
      const token = textAt(await signIn(one, 'root'), 'refresh_token')
      const answers = await Promise.all(
        [one, two].map((node) =>
          ask(node.baseUrl, 'POST', '/auth/token', { json: { grant_type: 'refresh_token', refresh_token: token } }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400])
      const won = answers.find(({ status }) => status === 200)
      expect(await me(two, textAt(won?.json, 'access_token'))).to.equal(401)
    }
  })

  it('two admins who demote each other, each on another process, leave one', async () => {
    const [root, ada] = [await signIn(one, 'root'), await signIn(two, 'ada')]
    const adaId = textAt(
      (await ask(two.baseUrl, 'GET', '/users/me', { token: textAt(ada, 'access_token') })).json,
      'id',
    )
    const demote = (node: ServiceNode, by: unknown, id: string) =>
      ask(node.baseUrl, 'PATCH', `/users/${id}`, { token: textAt(by, 'access_token'), json: { role: 'viewer' } })
    const answers = await Promise.all([demote(one, root, adaId), demote(two, ada, adminId)])
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    const roles = await Promise.all(
      [
        [one, root],
        [two, ada],
      ].map(async ([, by]) =>
        at((await ask(one.baseUrl, 'GET', '/users/me', { token: textAt(by, 'access_token') })).json, 'role'),
      ),
    )
    expect(roles.sort()).to.deep.equal(['admin', 'viewer'])
  })
})
