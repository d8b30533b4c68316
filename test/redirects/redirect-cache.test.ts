import { setTimeout } from 'node:timers/promises'

import { expect } from 'chai'
import { Client } from 'pg'

import { STALE_MS, createLinkCache } from '../../src/redirects/link-cache.js'
import { openRedirects } from '../../src/redirects/redirects.js'
import { toId } from '../../src/domain/id.js'
import { NO_VISITS, type Link } from '../../src/domain/link.js'
import { Refusal } from '../../src/domain/refusal.js'
import { at, listAt, textAt } from '../support/json.js'
import { BY_HAND } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

const link = (code: string, target: string, others: Partial<Link> = {}): Link => ({
  id: toId('1'),
  code,
  target,
  owner_id: toId('1'),
  created_at: '',
  updated_at: '',
  version: 1,
  title: null,
  note: null,
  tags: [],
  status: 302,
  active: true,
  starts_at: null,
  expires_at: null,
  starts_ms: null,
  expires_ms: null,
  max_visits: null,
  used: 0,
  has_password: false,
  forward_query: false,
  visits: NO_VISITS,
  ...others,
})

const OUTAGE_MS = 60_000
/** How soon every process serves a change, with room for a busy machine. */
const BOUND = { withinMs: STALE_MS + 3_000 }

describe('the memory of public links', () => {
  const listener = { up: true, confirmedAt: 0 }
  let asked: string[]
  let stored: Map<string, Link>
  let answer: (code: string) => Promise<Link | null>
  const cacheOf = (size = 100) =>
    createLinkCache({
      size,
      answerAgeMs: 0,
      listener,
      outageMs: OUTAGE_MS,
      find: async (code) => {
        asked.push(code)
        return answer(code)
      },
    })

  const goAway = () => {
    answer = async () => {
      throw new Refusal('database_unavailable')
    }
  }
  const refusalOf = (found: Promise<unknown> | unknown) => Promise.resolve(found).catch((error: unknown) => error)

  beforeEach(() => {
    Object.assign(listener, { up: true, confirmedAt: performance.now() + 1_000_000 })
    asked = []
    stored = new Map([['a', link('a', 'https://example.com/')]])
    answer = async (code) => stored.get(code) ?? null
  })

  it('asks once for a link, and once for a code without one', async () => {
    const cache = cacheOf()
    for (let i = 0; i < 3; i += 1) expect(await cache.find('a')).to.include({ target: 'https://example.com/' })
    for (let i = 0; i < 3; i += 1) expect(await cache.find('b')).to.equal(null)
    expect(asked).to.deep.equal(['a', 'b'])
    expect(cache.stats()).to.include({ hits: 2, misses: 2, negativeHits: 2, entries: 2 })
  })

  it('asks once for many who come at once, also where the answer is an error', async () => {
    const cache = cacheOf()
    await Promise.all(Array.from({ length: 1_000 }, async () => cache.find('a')))
    expect(asked).to.have.length(1)
    goAway()
    const refused = await Promise.allSettled(Array.from({ length: 1_000 }, async () => cache.find('c')))
    expect(refused.every(({ status }) => status === 'rejected')).to.equal(true)
    expect(asked).to.have.length(2)
  })

  it('does not remember what was forgotten while it was asked for, nor give it to whoever comes after', async () => {
    const cache = cacheOf()
    const answers: ((link: Link) => void)[] = []
    answer = () =>
      new Promise((resolve) => {
        answers.push(resolve)
      })
    const early = cache.find('a')
    cache.forget('a')
    const late = cache.find('a')
    expect(answers).to.have.length(2)
    answers[1]?.(link('a', 'https://example.com/new'))
    answers[0]?.(link('a', 'https://example.com/old'))
    expect([await early, await late].map((found) => found?.target)).to.deep.equal([
      'https://example.com/old',
      'https://example.com/new',
    ])
    expect(await cache.find('a')).to.include({ target: 'https://example.com/new' })
  })

  it('has a bound, and guesses push out no link', async () => {
    const cache = cacheOf(10)
    await cache.find('a')
    for (let i = 0; i < 1_000; i += 1) await cache.find(`guess-${i}`)
    expect(cache.stats().entries).to.be.at.most(14)
    await cache.find('a')
    expect(asked.filter((code) => code === 'a')).to.have.length(1)
  })

  it('asks the database while nobody listens, and shows what it answered last once it is away', async () => {
    const cache = cacheOf()
    for (const code of ['a', 'b']) await cache.find(code)
    Object.assign(listener, { up: false, confirmedAt: performance.now() })
    stored.set('a', link('a', 'https://example.com/changed')).set('b', link('b', 'https://example.com/new'))
    for (const code of ['a', 'b']) expect(await cache.find(code)).to.equal(stored.get(code))
    goAway()
    for (const code of ['a', 'b']) expect(await cache.find(code)).to.equal(stored.get(code))
    expect(await refusalOf(cache.find('c'))).to.have.property('code', 'database_unavailable')
  })

  it('shows nothing any more of what the database said to be guarded or gone meanwhile', async () => {
    stored.set('b', link('b', 'https://example.com/'))
    const cache = cacheOf()
    for (const code of ['a', 'b']) await cache.find(code)
    Object.assign(listener, { up: false, confirmedAt: performance.now() })
    stored.set('a', link('a', 'https://example.com/', { has_password: true }))
    stored.delete('b')
    for (const code of ['a', 'b']) await cache.find(code)
    goAway()
    expect(await refusalOf(cache.find('a'))).to.have.property('code', 'database_unavailable')
    expect(await cache.find('b')).to.equal(null)
  })

  it('goes on while the database is away, asks it ten times a second, and ends after its bound', async () => {
    const cache = cacheOf()
    await cache.find('a')
    goAway()
    Object.assign(listener, { up: false, confirmedAt: performance.now() - STALE_MS })
    const start = performance.now()
    for (let i = 0; i < 1_000; i += 1) expect(await cache.find('a')).to.include({ target: 'https://example.com/' })
    expect(asked.length).to.be.at.most(3 + (performance.now() - start) / 100)
    listener.confirmedAt = performance.now() - OUTAGE_MS
    expect(await refusalOf(cache.find('a'))).to.have.property('code', 'database_unavailable')
  })

  it('asks the database for each again as soon as it answers', async () => {
    const cache = cacheOf()
    await cache.find('a')
    goAway()
    Object.assign(listener, { up: false, confirmedAt: performance.now() - STALE_MS })
    await cache.find('a')
    answer = async (code) => stored.get(code) ?? null
    stored.set('a', link('a', 'https://example.com/changed'))
    await until('it was asked', async () => (await cache.find('a')) === stored.get('a'))
    stored.delete('a')
    expect(await cache.find('a')).to.equal(null)
  })

  it('shows nothing from before, where the database has answered since without being heard', async () => {
    stored.set('b', link('b', 'https://example.com/'))
    const cache = cacheOf()
    for (const code of ['a', 'b']) await cache.find(code)
    Object.assign(listener, { up: false, confirmedAt: performance.now() - STALE_MS })
    stored.delete('a')
    expect(await cache.find('b')).to.equal(stored.get('b'))
    goAway()
    for (const code of ['a', 'b'])
      expect(await refusalOf(cache.find(code)), code).to.have.property('code', 'database_unavailable')
  })

  it('goes on where a replica, which may be behind, was the last that answered', async () => {
    let rows: readonly never[] | undefined = []
    const lookUp = async () => {
      throw new Refusal('database_unavailable')
    }
    const redirects = openRedirects({
      database: { lookUp },
      pool: { run: lookUp },
      listener,
      replica: { read: async () => rows },
      cacheSize: 100,
      outageMs: OUTAGE_MS,
    })
    expect(await redirects.find('a')).to.equal(null)
    Object.assign(listener, { up: false, confirmedAt: performance.now() - STALE_MS })
    expect(await redirects.find('b')).to.equal(null)
    rows = undefined
    for (const code of ['a', 'b']) expect(await redirects.find(code)).to.equal(null)
  })

  it('asks the database where it was away once, if nobody has asked since', async () => {
    const cache = cacheOf()
    await cache.find('a')
    goAway()
    await refusalOf(cache.find('b'))
    answer = async (code) => stored.get(code) ?? null
    stored.delete('a')
    await setTimeout(STALE_MS + 10)
    Object.assign(listener, { up: false, confirmedAt: performance.now() - STALE_MS })
    expect(await cache.find('a')).to.equal(null)
  })

  it('waits a second for a database that hangs, and for nobody after that', async () => {
    const cache = cacheOf()
    await cache.find('a')
    Object.assign(listener, { up: false, confirmedAt: performance.now() - STALE_MS })
    answer = () => new Promise(() => undefined)
    expect(await cache.find('a')).to.include({ target: 'https://example.com/' })
    expect(cache.find('a')).to.include({ target: 'https://example.com/' })
  })

  it('asks the database where notifications may be late, though the connection looks fine', async () => {
    const cache = cacheOf()
    await cache.find('a')
    listener.confirmedAt = performance.now() - STALE_MS
    await cache.find('a')
    expect(asked).to.have.length(2)
  })
})

describe('a redirect that is remembered', () => {
  let service: TestService
  let other: TestService
  let editor: TestUser

  before(async () => {
    service = await startTestService()
    other = await startTestService({ db: service.db })
    editor = await service.addUser('editor')
  })
  after(async () => {
    await other.stop()
    await service.stop()
  })

  const follow = async (at: TestService, code: string) => (await at.request('GET', `/${code}`)).headers.get('Location')
  const metric = async (at: TestService, name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await at.request('GET', '/metrics')).text)?.[1])
  /** Until the listening connection stands and what is followed is remembered. */
  const remembered = (at: TestService, code: string) =>
    until(`/${code} is answered from the cache`, async () => {
      const before = await metric(at, 'linkgate_cache_hits_total')
      await follow(at, code)
      return (await metric(at, 'linkgate_cache_hits_total')) > before
    })
  const untilFollowed = (at: TestService, code: string, target: string | null) =>
    until(`/${code} leads to ${target}`, async () => (await follow(at, code)) === target, BOUND)
  const make = async (code: string) => {
    const { status } = await service.request('POST', '/links', {
      token: editor.token,
      json: { code, target: 'https://example.com/first' },
    })
    expect(status).to.equal(201)
  }

  it('is never the old one for the process that changed it, and soon the new one for another', async () => {
    await make('kept')
    for (const each of [service, other]) await remembered(each, 'kept')
    for (let i = 0; i < 20; i += 1) {
      await service.request('PATCH', '/links/kept', {
        token: editor.token,
        json: { target: `https://example.com/${i}` },
      })
      expect(await follow(service, 'kept')).to.equal(`https://example.com/${i}`)
      await untilFollowed(other, 'kept', `https://example.com/${i}`)
    }
    await service.request('PATCH', '/links/kept', { token: editor.token, json: { code: 'renamed' } })
    expect([await follow(service, 'kept'), await follow(service, 'renamed')]).to.deep.equal([
      null,
      'https://example.com/19',
    ])
    await service.request('DELETE', '/links/renamed', { token: editor.token })
    expect(await follow(service, 'renamed')).to.equal(null)
    await untilFollowed(other, 'renamed', null)
  })

  it('is never the old one for the process that changed many links in one request, or restored them', async () => {
    const codes = Array.from({ length: 10 }, (_, i) => `together-${i}`)
    const bulk = async (operation: string, items: readonly object[]) => {
      const { json, text } = await service.request('POST', '/links/bulk', {
        token: editor.token,
        json: { operation, items },
      })
      expect(at(json, 'done'), text).to.equal(items.length)
      return listAt(json, 'results')
    }
    const followed = async (suffix = '') =>
      new Set(await Promise.all(codes.map((code) => follow(service, `${code}${suffix}`))))
    expect(await followed()).to.deep.equal(new Set([null]))
    const made = await bulk(
      'create',
      codes.map((code) => ({ code, target: 'https://example.com/made' })),
    )
    expect(await followed()).to.deep.equal(new Set(['https://example.com/made']))
    expect(await followed('-b')).to.deep.equal(new Set([null]))
    await bulk(
      'update',
      codes.map((code) => ({ link: code, code: `${code}-b` })),
    )
    expect(await followed('-b')).to.deep.equal(new Set(['https://example.com/made']))
    expect(await followed()).to.deep.equal(new Set([null]))
    await bulk(
      'delete',
      codes.map((code) => ({ link: `${code}-b` })),
    )
    expect(await followed('-b')).to.deep.equal(new Set([null]))
    for (const [i, result] of made.entries()) {
      const id = textAt(result, 'link', 'id')
      if (i % 2 === 0) await bulk('restore', [{ id }])
      else await service.request('POST', `/links/${id}/restore`, { token: editor.token })
      expect(await follow(service, `${codes[i]}-b`)).to.equal('https://example.com/made')
    }
  })

  it('is there for a code that had no link a moment ago', async () => {
    for (const each of [service, other]) expect(await follow(each, 'later')).to.equal(null)
    await make('later')
    expect(await follow(service, 'later')).to.equal('https://example.com/first')
    await untilFollowed(other, 'later', 'https://example.com/first')
  })

  /**
   * Changes links as a process of the service would that dies before it announces anything; resolves once that is
   * committed.
   */
  const changeAndDie = async (...texts: readonly string[]) =>
    service.database.flush([
      {
        text: 'select enter_change($1, $2, $3, $4, $5, null)',
        values: [
          'links_own',
          editor.id,
          service.policy.current().revision,
          BY_HAND,
          JSON.stringify({ id: editor.id, role: editor.role }),
        ],
      },
      ...texts.map((text) => ({ text })),
    ])

  it('is soon the new one also where who changed it died before anybody was told', async () => {
    await make('orphaned')
    for (const each of [service, other]) await remembered(each, 'orphaned')
    await changeAndDie(`update links set target = 'https://example.com/adopted' where code = 'orphaned'`)
    for (const each of [service, other]) await untilFollowed(each, 'orphaned', 'https://example.com/adopted')
    await until('every change is announced', async () => {
      const pending = await service.db.asOwner('select from changed_links')
      return pending.length === 0
    })
  })

  it('is told of after the commit and not in it, each code once, and of very many in one word', async () => {
    const heard: string[] = []
    const listening = new Client(service.db.owner)
    await listening.connect()
    listening.on('notification', ({ payload = '' }) => heard.push(payload))
    await listening.query('listen linkgate_links')
    try {
      await make('told')
      await until('the new link is announced', () => heard.includes('told'))
      heard.length = 0
      await changeAndDie(
        `update links set target = 'https://example.com/2' where code = 'told'`,
        `update links set code = 'told-anew' where code = 'told'`,
      )
      const announced = (isHeard: () => boolean) =>
        until('the changes are announced', async () => {
          await listening.query('select announce_changed_links()')
          return isHeard()
        })
      await announced(() => heard.includes('told-anew'))
      expect(heard.toSorted()).to.deep.equal(['told', 'told-anew'])
      heard.length = 0
      await changeAndDie(
        `insert into links (code, target, owner_id)
         select 'many-' || n, 'https://example.com/', ${editor.id} from generate_series(1, 1001) n`,
      )
      await announced(() => heard.length > 0)
      expect(heard).to.deep.equal(['*'])
    } finally {
      await listening.end()
    }
  })

  it('follows what somebody changes in the database itself', async () => {
    await make('by-hand')
    await remembered(service, 'by-hand')
    await service.db.asOwner(`alter table links disable trigger link_decision`)
    await service.db.asOwner(`update links set target = 'https://example.com/by-hand' where code = 'by-hand'`)
    await untilFollowed(service, 'by-hand', 'https://example.com/by-hand')
    await service.db.asOwner('truncate links')
    await untilFollowed(service, 'by-hand', null)
    await service.db.asOwner(`alter table links enable trigger link_decision`)
  })

  it('is decided by the policy every time, remembered or not', async () => {
    await make('decided')
    await remembered(service, 'decided')
    await service.db.asOwner(
      `insert into casbin (ptype, rule) values ('p', '["50", "CLOSED", "anyone", "link:read", "any", "deny"]')`,
    )
    await service.policy.refresh()
    expect((await service.request('GET', '/decided')).status).to.equal(403)
    await service.db.asOwner(`delete from casbin where rule ->> 1 = 'CLOSED'`)
    await service.policy.refresh()
    expect((await service.request('GET', '/decided')).status).to.equal(302)
  })

  it('asks the database while its listening connection is lost, and remembers again after', async () => {
    await make('unheard')
    await remembered(service, 'unheard')
    await service.db.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'linkgate listener' and datname = current_database()`,
    )
    await service.db.asOwner(`alter table links disable trigger notify_link_change`)
    await service.db.asOwner(`alter table links disable trigger link_decision`)
    await service.db.asOwner(`update links set target = 'https://example.com/missed' where code = 'unheard'`)
    // nobody was notified: what was remembered is gone with the connection
    await untilFollowed(service, 'unheard', 'https://example.com/missed')
    await service.db.asOwner(`alter table links enable trigger notify_link_change`)
    await service.db.asOwner(`alter table links enable trigger link_decision`)
    await remembered(service, 'unheard')
  })
})
