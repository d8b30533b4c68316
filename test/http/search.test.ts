import { expect } from 'chai'
import { Client } from 'pg'

import { at, listAt } from '../support/json.js'
import { addManyLinks } from '../support/records.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'
import { until } from '../support/until.js'

const SEARCHES = 60

describe('searches in the list of links', () => {
  let callers: Callers
  let service: TestService

  before(async () => {
    callers = await startWithCallers({ environment: { DATABASE_POOL_SIZE: '2' } })
    service = callers.service
    await addManyLinks(service.db, { owner: callers.other.id, count: 20_000, prefix: 'many-' })
    await service.db.asOwner('vacuum analyze links')
  })
  after(() => service.stop())

  const search = (q: string, { token } = callers.admin) =>
    service.request('GET', `/links?q=${encodeURIComponent(q)}`, { token })

  it('are served by an index, not by a look at every link', async () => {
    const work = async () => {
      const [row] = await service.db.asOwner<{ scans: number; links: number }>(
        `select i.idx_scan::int as scans, (t.seq_tup_read + t.idx_tup_fetch)::int as links
           from pg_stat_user_indexes i join pg_stat_user_tables t using (relid) where indexrelname = 'links_search'`,
      )
      return row ?? expect.fail('no index')
    }
    for (const [q, count] of [
      ['ANY-12345', 1],
      ['ägypten', 0],
    ] as const) {
      const before = await work()
      expect(listAt((await search(q)).json, 'data')).to.have.length(count)
      // a connection reports all of what it did with its next query after a second, or when it is idle for ten
      const after = await until('the index was used', async () => {
        await search('ANY-1', callers.viewer)
        const now = await work()
        return now.scans > before.scans && now
      })
      // the first thousand of the list are looked at in any case
      expect(after.links - before.links).to.be.below(5_000)
    }
  })

  it('find their text as it is written, also where it has a meaning in a pattern', async () => {
    for (const text of ['%', '_0', 'many\\', '\\%', 'y-1_'])
      expect(listAt((await search(text)).json, 'data'), text).to.deep.equal([])
    expect(listAt((await search('y-1')).json, 'data')).to.have.length(20)
  })

  it('find letters beyond ASCII in a target, which is stored without them, as in a title', async () => {
    const make = async (json: unknown) =>
      expect((await service.request('POST', '/links', { token: callers.editor.token, json })).status).to.equal(201)
    await make({ code: 'abroad', target: 'https://Bücher.example/straße/GRÖSSE?q=größe', title: 'Ärger' })
    await make({ code: 'at-home', target: 'https://buecher.example/strasse', title: 'Aerger' })
    const found = async (q: string) =>
      listAt((await search(q, callers.editor)).json, 'data').map((link) => at(link, 'code'))
    for (const q of ['bücher', 'BÜCHER.example', 'https://bücher.example/straße', 'straße/gr', 'größe', 'ärger', 'Ä'])
      expect(await found(q), q).to.deep.equal(['abroad'])
    // in the usual cases of what was typed
    await make({ code: 'travel', target: 'https://example.com/Reise/Ägypten-Österreich', title: 'Travel' })
    for (const q of ['reise/ägypten-österreich', 'ägypten', 'ÄGYPTEN-Österreich', 'EXAMPLE.com/reise/ä'])
      expect(await found(q), q).to.deep.equal(['travel'])
    for (const q of ['straße', '/grösse', 'bÜcher.example/straße/grÖSSE'])
      expect(await found(q), q).to.deep.equal(['abroad'])
    // an umlaut as two characters, as some keyboards and file names write it
    expect(await found('bu\u0308cher'), 'decomposed').to.deep.equal(['abroad'])
    for (const q of ['köln', 'ü', '%c3%9f%', 'straße/x']) expect(await found(q), q).to.deep.equal([])
  })

  it('find a text however its accents and its case are written, also the two small sigmas of Greek', async () => {
    const make = async (code: string, title: string) => {
      const json = { code, target: 'https://example.com/', title }
      expect((await service.request('POST', '/links', { token: callers.editor.token, json })).status).to.equal(201)
    }
    const found = async (q: string) =>
      listAt((await search(q, callers.editor)).json, 'data').map((link) => at(link, 'code'))
    await make('composed', 'Caf\u00e9')
    await make('decomposed', 'Cafe\u0301')
    for (const q of ['caf\u00e9', 'CAFE\u0301']) expect(await found(q), q).to.have.members(['composed', 'decomposed'])
    await make('capitals', 'ΣΊΣΥΦΟΣ')
    await make('small', 'Σίσυφος')
    for (const q of ['σίσυφος', 'ΣΊΣΥΦΟΣ', 'Σίσυφος', 'ΦΟΣ', 'σίσυ'])
      expect(await found(q), q).to.have.members(['capitals', 'small'])
  })

  it('have a deadline of their own, and leave connections to everybody else however many they are', async () => {
    const blocker = new Client(service.db.owner)
    await blocker.connect()
    /** how many connections waited in a search at once, at most */
    let most = 0
    let over = false
    const seen = until(
      'the end of the searches',
      async () => {
        const { rowCount } = await blocker.query(
          `select from pg_locks where relation = 'links'::regclass and not granted`,
        )
        most = Math.max(most, rowCount ?? 0)
        return over
      },
      { withinMs: 60_000 },
    )
    try {
      await blocker.query('begin; lock table links in access exclusive mode')
      const begunAt = performance.now()
      const searches = Promise.all(Array.from({ length: SEARCHES }, () => search('y-1', callers.editor)))
      await until('a search waits', () => most > 0)
      for (let i = 0; i < 5; i += 1) {
        const asked = performance.now()
        expect((await service.request('GET', '/users/me', { token: callers.viewer.token })).status).to.equal(200)
        // behind the searches it would be half a minute
        expect(performance.now() - asked).to.be.below(5_000)
      }
      for (const answer of await searches) {
        expect(answer.json).to.include({ status: 503, code: 'deadline_exceeded' })
        expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
      }
      expect(performance.now() - begunAt).to.be.below(15_000)
    } finally {
      over = true
      await seen
      await blocker.end()
    }
    expect(most, 'half of the pool').to.equal(1)
    expect((await search('y-1', callers.other)).status).to.equal(200)
  })
})
