import { AsyncLocalStorage } from 'node:async_hooks'

import { expect } from 'chai'

import { createLive } from '../../src/http/live.js'
import { at } from '../support/json.js'
import { valueOf } from '../support/exposition.js'
import { keepLog } from '../support/log.js'
import { addRows } from '../support/edit-policy.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until, within } from '../support/until.js'
import { follow, makeLink, type MadeLink } from '../support/visitors.js'

/** A stream of events that is read as it comes. */
interface Heard {
  readonly status: number
  readonly type: string | null
  /** the totals that were told so far */
  readonly totals: readonly number[]
  /** resolves when the stream has ended */
  readonly ended: Promise<void>
  leave(): void
}

describe('visits as they come', () => {
  let service: TestService
  let other: TestService
  let ada: TestUser
  let root: TestUser
  before(async () => {
    service = await startTestService()
    other = await startTestService({ db: service.db })
    ada = await service.addUser('editor')
    root = await service.addUser('admin')
  })
  after(async () => {
    await other.stop()
    await service.stop()
  })

  const listen = async (
    { code }: Pick<MadeLink, 'code'>,
    { token }: Pick<TestUser, 'token'> = ada,
    on: TestService = service,
    query = '',
  ): Promise<Heard> => {
    const leaving = new AbortController()
    const answer = await fetch(`${on.baseUrl}/links/${code}/visits/live${query}`, {
      headers: { Authorization: `Bearer ${token}` },
      signal: leaving.signal,
    })
    const totals: number[] = []
    const read = async (): Promise<void> => {
      let text = ''
      const decoder = new TextDecoder()
      for await (const bytes of answer.body ?? []) {
        text += decoder.decode(bytes, { stream: true })
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const [, data] = /^event: visits\ndata: (.+)$/.exec(text.slice(0, end)) ?? []
          if (data !== undefined) totals.push(Number(at(JSON.parse(data), 'total')))
          text = text.slice(end + 2)
        }
      }
    }
    return {
      status: answer.status,
      type: answer.headers.get('Content-Type'),
      totals,
      ended: read().catch(() => undefined),
      leave: () => leaving.abort(),
    }
  }
  const listeners = async (on = service) =>
    valueOf((await on.request('GET', '/metrics')).text, 'linkgate_visits_listeners')

  it('tells of visits of the link, on whichever service they are, and of no other link', async () => {
    const [link, quiet] = [await makeLink(service, ada), await makeLink(service, ada)]
    const [heard, silent] = [await listen(link), await listen(quiet)]
    expect(heard.type).to.equal('text/event-stream; charset=utf-8')
    await until('the first event', () => heard.totals.length === 1 && silent.totals.length === 1)
    await follow(service, link)
    await until('a visit here is told', () => heard.totals.at(-1) === 1)
    await follow(other, link)
    await until('a visit elsewhere is told', () => heard.totals.at(-1) === 2)
    expect(silent.totals).to.deep.equal([0])
    heard.leave()
    silent.leave()
    await until('nobody listens', async () => (await listeners()) === 0)
  })

  it('ends after as many events as were asked for', async () => {
    const heard = await listen(await makeLink(service, ada), ada, service, '?limit=1')
    await within('it ends', heard.ended)
    expect(heard.totals).to.deep.equal([0])
    expect((await listen({ code: 'absent' }, ada, service, '?limit=0')).status).to.equal(404)
    expect((await listen(await makeLink(service, ada), ada, service, '?limit=0')).status).to.equal(400)
  })

  it('is for whoever may change the link', async () => {
    const link = await makeLink(service, ada)
    const bob = await service.addUser('editor')
    const viewer = await service.addUser('viewer')
    for (const user of [bob, viewer]) expect((await listen(link, user)).status).to.equal(403)
    const heard = await listen(link, root)
    expect(heard.status).to.equal(200)
    heard.leave()
  })

  it('ends when the listener is suspended, the link is given away, or the policy changes', async () => {
    const carol = await service.addUser('editor')
    const [mine, given] = [await makeLink(service, ada), await makeLink(service, ada)]
    const hers = await makeLink(service, carol)
    const suspended = await listen(hers, carol)
    const moved = await listen(given)
    await until('both hear', () => suspended.totals.length > 0 && moved.totals.length > 0)
    const { token } = root
    const change = async (method: string, path: string, json: object) => {
      const answer = await service.request(method, path, { token, json })
      expect(answer.status, answer.text).to.be.oneOf([200, 201])
    }
    await change('PATCH', `/users/${carol.id}`, { suspended: true })
    await change('POST', `/links/${given.code}/transfer`, { owner_id: root.id })
    await follow(service, hers)
    await follow(service, given)
    await within('both end', Promise.all([suspended.ended, moved.ended]))
    expect(suspended.totals).to.deep.equal([0])
    expect(moved.totals).to.deep.equal([0])

    const heard = await listen(mine)
    await until('it hears', () => heard.totals.length > 0)
    await addRows(service, token, [{ ptype: 'p2', role: 'editor', action: 'link:delete' }])
    await follow(service, mine)
    await within('it ends', heard.ended)
    expect(heard.totals).to.deep.equal([0])
  })

  it('breaks off, and says why in the log, if an event cannot be read for another reason', async () => {
    const kept = keepLog()
    const broken = await startTestService({ log: kept.log })
    try {
      const owner = await broken.addUser('editor')
      const link = await makeLink(broken, owner)
      const heard = await listen(link, owner, broken)
      await until('it hears', () => heard.totals.length > 0)
      await broken.db.asOwner('alter function require_caller rename to another_name')
      await follow(broken, link)
      await within('it breaks off', heard.ended)
      expect(await kept.line('a response broke off')).to.include('require_caller')
    } finally {
      await broken.stop()
    }
  })

  it('takes ten streams of one user, and ends all when the service stops', async () => {
    const kept = keepLog()
    const third = await startTestService({ db: service.db, log: kept.log })
    const link = await makeLink(service, ada)
    const [adas, roots] = [{ token: await third.tokenFor(ada) }, { token: await third.tokenFor(root) }]
    const many = await Promise.all(Array.from({ length: 10 }, () => listen(link, adas, third)))
    expect(many.map(({ status }) => status)).to.deep.equal(Array.from({ length: 10 }, () => 200))
    expect((await listen(link, adas, third)).status).to.equal(503)
    expect((await third.request('HEAD', `/links/${link.code}/visits/live`, roots)).status).to.equal(200)
    const last = await listen(link, roots, third)
    expect(last.status).to.equal(200)
    await within('it stops', third.stop())
    await within('all end', Promise.all([...many, last].map(({ ended }) => ended)))
    expect(await kept.line('"code":"too_many_listeners"')).to.include('"msg":"request"')
    expect(kept.lines().join(''), 'an eleventh stream is no error of the service').to.not.match(/"level":50/)
  })

  it('sends one event at a time, and none to whoever reads none', async () => {
    const live = createLive({ everyMs: 20 })
    const counted = (link: string) => {
      const listener = { reads: 0 }
      const read = async () => ({ total: (listener.reads += 1) })
      const stream = live.listen({ topic: link, event: 'visits', user: '1', limit: Number.POSITIVE_INFINITY, read })
      return { listener, stream }
    }
    const [slow, quick] = [counted('7'), counted('8')]
    quick.stream.resume()
    await until('the first is there', () => slow.stream.readableLength > 20)
    await until('the other has had many', () => {
      live.announced('6,7,8')
      return quick.listener.reads > 10
    })
    expect(slow.listener.reads).to.equal(1)
    slow.stream.resume()
    live.announced('*')
    await until('the next is read', () => slow.listener.reads === 2)
    live.announced('77')
    live.endAll()
    expect(live.count()).to.equal(0)
  })

  it('reads for each listener as their own request, whose trace has the read', async () => {
    const request = new AsyncLocalStorage<string>()
    const live = createLive({ everyMs: 20 })
    const reads: (readonly [listener: string, request: string | undefined])[] = []
    for (const id of ['1', '2']) {
      const read = async () => ({ total: reads.push([id, request.getStore()]) })
      const listener = { topic: '7', event: 'visits', user: id, limit: Number.POSITIVE_INFINITY, read }
      request.run(id, () => live.listen(listener)).resume()
    }
    await until('both have had several', () => {
      live.announced('7')
      return ['1', '2'].every((id) => reads.filter(([listener]) => listener === id).length > 3)
    })
    live.endAll()
    for (const [listener, of] of reads) expect(of).to.equal(listener)
  })

  it('ends a stream after 600 ticks, so that its listener shows a token that is still valid', async () => {
    const ticks = { count: 0 }
    const live = createLive({ everyMs: 1, onTick: () => (ticks.count += 1) })
    const stream = live.listen({
      topic: '7',
      event: 'visits',
      user: '1',
      limit: Number.POSITIVE_INFINITY,
      read: async () => ({}),
    })
    await within('the end of the stream', stream.toArray())
    expect(ticks.count).to.be.within(600, 602)
    expect(live.count()).to.equal(0)
  })
})
