import { expect } from 'chai'

import { ACTIONS } from '../../src/domain/action.js'
import { httpMatrix, type Actor } from '../support/http-matrix.js'
import { oracle } from '../support/oracle.js'
import { addLink, addUserWithId, DECIDED, freshCode, storedLink } from '../support/records.js'
import { requestOf, scopeOf } from '../support/samples.js'
import { startTestService, type TestService } from '../support/service.js'

// three ids that a double cannot tell apart
const BIG = '9007199254740993'
const BIG_NEIGHBOUR = '9007199254740992'
const LARGEST = '9223372036854775807'
const LARGEST_NEIGHBOUR = '9223372036854775806'
const NEIGHBOURS: Readonly<Record<string, string>> = {
  [BIG]: BIG_NEIGHBOUR,
  [BIG_NEIGHBOUR]: BIG,
  [LARGEST]: LARGEST_NEIGHBOUR,
  [LARGEST_NEIGHBOUR]: LARGEST,
}

/** Each actor has more cells than this, so a matrix without routes or records does not pass. */
const CELLS = 100

describe('one matrix over HTTP', () => {
  let service: TestService
  let stranger: string
  const actors = new Map<string, Actor>()

  before(async () => {
    service = await startTestService()
    stranger = (await service.addUser('editor')).id
    const { db } = service
    for (const [name, role] of [
      ['an admin', 'admin'],
      ['an editor', 'editor'],
      ['a viewer', 'viewer'],
      ['a role without rows', 'intern'],
    ] as const) {
      const { id } = await service.addUser(role)
      actors.set(name, { user: { id, role }, id })
    }
    for (const [name, role] of [
      ['a suspended admin', 'admin'],
      ['a suspended editor', 'editor'],
    ] as const) {
      const { id } = await service.addUser(role)
      await db.asOwner('update users set suspended_at = now() where id = $1', [id])
      actors.set(name, { user: { id, role, suspended: true }, id })
    }
    for (const id of [BIG, BIG_NEIGHBOUR, LARGEST, LARGEST_NEIGHBOUR]) {
      await addUserWithId(db, id, 'editor')
      actors.set(`an editor with the id ${id}`, { user: { id, role: 'editor' }, id })
    }
    actors.set('no token', { user: null, id: stranger })
  })
  after(() => service.stop())

  const { recordsFor, askAll } = httpMatrix(() => ({ service, stranger, neighbours: NEIGHBOURS }))

  for (const who of [
    'no token',
    'an admin',
    'an editor',
    'a viewer',
    'a role without rows',
    'a suspended admin',
    'a suspended editor',
    `an editor with the id ${BIG}`,
    `an editor with the id ${BIG_NEIGHBOUR}`,
    `an editor with the id ${LARGEST}`,
    `an editor with the id ${LARGEST_NEIGHBOUR}`,
  ]) {
    it(`every operation answers ${who} as the oracle does, on every kind of record`, async () => {
      const actor = actors.get(who)
      if (!actor) throw new Error(`no actor ${who}`)
      expect(await askAll(actor, who)).to.be.greaterThan(CELLS)
    })
  }

  it('a token without the one scope that an operation needs is refused everywhere, whoever has it', async () => {
    for (const who of ['an admin', 'an editor']) {
      const actor = actors.get(who)
      if (!actor) throw new Error(`no actor ${who}`)
      const guarded = service.routes.filter(({ gateway }) => gateway.scope !== 'public')
      expect(guarded).to.have.length.above(40)
      for (const route of guarded) {
        const scope = ACTIONS.filter((each) => each !== scopeOf(route)).join(' ')
        const { method, path, options } = requestOf(route, freshCode('absent'))
        const answer = await service.request(method, path, { ...options, token: await service.tokenFor(actor, scope) })
        expect(answer.status, `${who}, ${route.method} ${route.path}: ${answer.text}`).to.equal(403)
        expect(answer.json).to.include({ code: 'insufficient_scope' })
      }
    }
  })

  it('the data layer, asked without any other, changes and deletes exactly what the oracle allows', async () => {
    const statements = {
      'link:update': 'update links set target = target where code = $1',
      'link:delete': 'delete from links where code = $1',
    } as const
    for (const [who, { user, id }] of actors) {
      if (user === null || user.suspended === true) continue
      for (const [what, record] of Object.entries(recordsFor(id))) {
        for (const [action, text] of Object.entries(statements)) {
          const code =
            record === null ? freshCode('absent') : await addLink(service.db, { owner: record.owner_id ?? null })
          const role = user.role === 'admin' ? 'links_any' : 'links_own'
          const [, , changed] = await service.database.flush([
            { text: 'select enter($1, $2)', values: [role, id] },
            DECIDED,
            { text, values: [code] },
          ])
          const allowed = record !== null && oracle(user, action, record).effect === 'allow'
          expect(changed?.rowCount, `${who}, ${action}, ${what}`).to.equal(allowed ? 1 : 0)
        }
      }
    }
  })

  it('the data layer shows each user their own links and no other, ids beyond 2^53 too', async () => {
    for (const [who, { user, id }] of actors) {
      if (user === null) continue
      const [, seen] = await service.database.flush([
        { text: 'select enter($1, $2)', values: ['links_own', id] },
        { text: 'select owner_id, count(*) from links group by owner_id' },
      ])
      const [{ count } = { count: 0 }] = await service.db.asOwner<{ count: string }>(
        'select count(*) from links where owner_id = $1',
        [id],
      )
      expect(seen?.rows, who).to.deep.equal(Number(count) === 0 ? [] : [{ owner_id: id, count }])
    }
  })

  it('the data layer makes no link without the decision that allowed it', async () => {
    const refused = await service.database
      .flush([
        { text: 'select enter($1, $2)', values: ['links_own', stranger] },
        {
          text: `insert into links (code, target, owner_id) values ('undecided', 'https://example.com/', $1)`,
          values: [stranger],
        },
      ])
      .then(
        () => null,
        (error: unknown) => error,
      )
    expect(refused).to.have.property('code', 'LG002')
    expect(await storedLink(service.db, 'undecided')).to.equal(undefined)
  })
})
