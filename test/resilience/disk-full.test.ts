import { expect } from 'chai'
import { Client } from 'pg'

import { verifyLog } from '../../src/audit/verify-log.js'
import { textAt } from '../support/json.js'
import { WITNESS } from '../support/log-truth.js'
import { startOwnServer, type OwnServer } from '../support/own-server.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.js'
import { until } from '../support/until.js'

describe('a database whose disk is full (pending where no file system can be mounted)', () => {
  let disk: SmallDisk | null = null
  let server: OwnServer
  let service: TestService
  let user: TestUser
  before(async function () {
    disk = await mountSmallDisk(192)
    if (disk === null) return this.skip()
    server = await startOwnServer({ dataDir: disk.folder, settings: { fsync: 'off', shared_buffers: '16MB' } })
    await server.ask(WITNESS)
    service = await startTestService({ db: server.database, environment: { DATABASE_POOL_SIZE: '4' } })
    user = await service.addUser('editor')
  })
  after(async () => {
    await disk?.clear()
    await service?.stop()
    await server?.stop()
    await disk?.remove()
  })
  const create = () =>
    service.request('POST', '/links', {
      token: user.token,
      json: { target: `https://example.com/${'x'.repeat(1_900)}` },
    })

  it('refuses changes with 503, answers reads, leaves nothing half done, and recovers when there is room', async () => {
    const first = textAt((await create()).json, 'code')
    await disk?.fill()
    const made = [first]
    let refused = 0
    for (let i = 0; refused < 20; i += 1) {
      expect(i, 'the disk is not full').to.be.lessThan(3_000)
      const answer = await create()
      if (answer.status === 201) made.push(textAt(answer.json, 'code'))
      else {
        expect(answer.status, answer.text).to.equal(503)
        expect(answer.headers.get('Retry-After')).to.match(/^\d+$/)
        expect(textAt(answer.json, 'code')).to.equal('database_unavailable')
        refused += 1
      }
    }
    const followed = 30
    for (let i = 0; i < followed; i += 1) expect((await service.request('GET', `/${first}`)).status).to.equal(302)
    expect((await service.request('GET', `/links/${first}`, { token: user.token })).status).to.equal(200)
    expect((await service.request('GET', '/links', { token: user.token })).status).to.equal(200)
    expect((await service.request('GET', '/readyz')).status).to.equal(200)
    const [counts] = await server.ask(`
        select (select count(*)::int from links) as links, (select count(*)::int from witnessed) as witnessed,
               (select count(*)::int from decisions
                 where kind = 'decision' and effect = 'allow' and action = 'link:create') as records`)
    expect(counts).to.deep.equal({ links: made.length, witnessed: made.length, records: made.length })

    await disk?.clear()
    await until('a link is made', async () => (await create()).status === 201)
    await until('the visits that waited are counted, each once', async () => {
      const text =
        'select (visits + bots)::int as n from visit_counts where link_id = (select id from links where code = $1)'
      return Number((await server.ask(text, [first]))[0]?.['n']) === followed
    })
    const faults: unknown[] = []
    await verifyLog(service.database, {
      keys: new Map(),
      onFault: (fault) => {
        if (fault.kind !== 'checkpoint') faults.push(fault)
      },
    })
    expect(faults).to.deep.equal([])
  })
})

describe('a decision log that cannot be written', () => {
  let service: TestService
  let user: TestUser
  before(async () => {
    service = await startTestService({ environment: { REQUEST_DEADLINE_MS: '1000' } })
    user = await service.addUser('editor')
  })
  after(() => service.stop())

  const refusesChanges = async (status: number) => {
    const code = textAt(
      (await service.request('POST', '/links', { token: user.token, json: { target: 'https://example.com/' } })).json,
      'code',
    )
    const before = await service.db.asOwner('select code, target, version from links order by id')
    return {
      meanwhile: async () => {
        for (const [method, path, json] of [
          ['POST', '/links', { target: 'https://example.com/new' }],
          ['PATCH', `/links/${code}`, { target: 'https://example.com/new' }],
          ['DELETE', `/links/${code}`],
          ['PATCH', '/users/me', { name: 'new' }],
        ] as const) {
          expect(
            (await service.request(method, path, { token: user.token, ...(json === undefined ? {} : { json }) }))
              .status,
            `${method} ${path}`,
          ).to.equal(status)
        }
        expect((await service.request('GET', `/${code}`)).status, 'a redirect').to.equal(302)
      },
      after: async () => {
        expect(await service.db.asOwner('select code, target, version from links order by id')).to.deep.equal(before)
        expect(
          (
            await service.request('PATCH', `/links/${code}`, {
              token: user.token,
              json: { target: 'https://example.com/later' },
            })
          ).status,
        ).to.equal(200)
      },
    }
  }

  it('refuses every change, and changes nothing, until it can', async () => {
    const { meanwhile, after: later } = await refusesChanges(500)
    await service.db.asOwner('alter table decisions add constraint not_writable check (false) not valid')
    await meanwhile()
    await service.db.asOwner('alter table decisions drop constraint not_writable')
    await later()
  })

  it('refuses every change within the deadline while somebody holds it, and changes nothing later', async () => {
    const { meanwhile, after: later } = await refusesChanges(503)
    const holder = new Client(service.db.owner)
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query('lock table decisions in exclusive mode')
      await meanwhile()
      // what was refused has been given up by the database, too, before the table is free
      await until('nobody waits for the table', async () => {
        const waiting = await service.db.asOwner(
          `select from pg_locks where relation = 'decisions'::regclass and not granted`,
        )
        return waiting.length === 0
      })
    } finally {
      await holder.end()
    }
    await later()
  })
})
