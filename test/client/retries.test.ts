import { expect } from 'chai'

import { LinkgateProblem, createClient, type Client, type ClientOptions } from '../../src/client/client.js'
import {
  json,
  problem,
  startScriptedServer,
  type Asked,
  type Scripted,
  type ScriptedServer,
} from '../support/scripted-server.js'
import { until } from '../support/until.js'

const SOON = { 'Retry-After': '0' }
const PROXY: Scripted = { status: 503, type: 'text/html', headers: SOON, body: '<h1>503</h1>' }

/** What may go wrong before one try succeeds. */
const FAULTS: Readonly<Record<string, Scripted>> = {
  '429': problem(429, 'rate_limited', SOON),
  policy_unavailable: problem(503, 'policy_unavailable', SOON),
  issuer_unavailable: problem(503, 'issuer_unavailable', SOON),
  database_unavailable: problem(503, 'database_unavailable', SOON),
  deadline_exceeded: problem(503, 'deadline_exceeded', SOON),
  request_in_progress: problem(409, 'request_in_progress', SOON),
  'a proxy’s 503': PROXY,
  'a proxy’s 502': { ...PROXY, status: 502 },
  'a proxy’s 504': { ...PROXY, status: 504 },
  'a connection that is lost': { breaksOff: 'before' },
  'an answer that breaks off': { body: '{"code"', breaksOff: 'after' },
  internal_error: problem(500, 'internal_error', SOON),
  conflict: problem(409, 'conflict', SOON),
}
const ALWAYS = ['429']
const NOTHING_DONE = [...ALWAYS, 'policy_unavailable', 'issuer_unavailable']
const ANYTHING = Object.keys(FAULTS).filter((fault) => fault !== 'internal_error' && fault !== 'conflict')

/** Calls, and after which faults they are made again. */
const CALLS: Readonly<
  Record<string, readonly [call: (client: Client) => Promise<unknown>, repeatedAfter: readonly string[]]>
> = {
  'a GET': [(client) => client.getLink('spring'), ANYTHING],
  'a creation with its key': [(client) => client.createLink({ target: 'https://example.com/' }), ANYTHING],
  'a question': [
    (client) =>
      client.evaluateAccess({
        subject: { type: 'user', id: '1' },
        action: { name: 'read' },
        resource: { type: 'link', id: 'a' },
      }),
    ANYTHING,
  ],
  'a PATCH': [(client) => client.updateLink('spring', { title: 'a' }), NOTHING_DONE],
  'a DELETE': [(client) => client.deleteLink('spring'), NOTHING_DONE],
  'a creation without a key': [(client) => client.acceptInvitation('a', { name: 'a', password: 'b' }), NOTHING_DONE],
  'a sign-in': [(client) => client.signIn({ email: 'a', password: 'b' }), NOTHING_DONE],
  'what is done in parts': [(client) => client.changeManyLinks({ operation: 'delete', items: [] }), ALWAYS],
}

describe('what the client repeats', () => {
  let server: ScriptedServer
  let answer: (asked: Asked, before: number) => Scripted
  const asked: Asked[] = []
  before(async () => {
    server = await startScriptedServer((each) => {
      asked.push(each)
      return answer(each, asked.length - 1)
    })
  })
  beforeEach(() => asked.splice(0))
  after(() => server.stop())

  const clientWith = (options: Partial<ClientOptions> = {}) => createClient({ baseUrl: server.baseUrl, ...options })

  const problemOf = async (call: Promise<unknown>): Promise<LinkgateProblem> => {
    const error: unknown = await call.then(
      () => expect.fail('it did not fail'),
      (error: unknown) => error,
    )
    if (error instanceof LinkgateProblem) return error
    throw error
  }

  for (const [name, [call, repeatedAfter]] of Object.entries(CALLS))
    it(`is ${name} after ${repeatedAfter.join(', ')}, and after nothing else`, async () => {
      for (const [fault, scripted] of Object.entries(FAULTS)) {
        asked.splice(0)
        answer = (_, before) => (before === 0 ? scripted : json({ code: 'done' }))
        const outcome = await call(clientWith()).catch((error: unknown) => error)
        expect(asked, fault).to.have.length(repeatedAfter.includes(fault) ? 2 : 1)
        expect(outcome instanceof LinkgateProblem, fault).to.equal(!repeatedAfter.includes(fault))
      }
    })

  it('is asked for under the same key, and under another one for another creation', async () => {
    answer = (_, before) => (before === 0 ? { breaksOff: 'before' } : json({ code: 'done' }))
    const client = clientWith()
    await client.createLink({ target: 'https://example.com/' })
    await client.createLink({ target: 'https://example.com/' })
    await client.createLink({ target: 'https://example.com/' }, { idempotencyKey: 'mine' })
    const [first, second, third, fourth] = asked.map(({ headers }) => headers['idempotency-key'])
    expect(first).to.equal(second)
    expect(third).to.not.equal(first)
    expect(fourth).to.equal('mine')
  })

  it('is given up after as many tries as were asked for', async () => {
    answer = () => problem(503, 'database_unavailable', SOON)
    for (const [retries, tries] of [
      [undefined, 3],
      [0, 1],
      [4, 5],
    ] as const) {
      asked.splice(0)
      expect((await problemOf(clientWith({ retries }).getLink('spring'))).code).to.equal('database_unavailable')
      expect(asked).to.have.length(tries)
    }
  })

  it('is not waited for longer than allowed: the problem says how long it would be', async () => {
    answer = () => problem(429, 'rate_limited', { 'Retry-After': '11' })
    expect((await problemOf(clientWith().getLink('spring'))).retryAfter).to.equal(11)
    expect((await problemOf(clientWith({ maxRetryAfter: 3 }).getLink('spring'))).retryAfter).to.equal(11)
    const date = new Date(Date.now() + 3_600_000).toUTCString()
    answer = () => problem(429, 'rate_limited', { 'Retry-After': date })
    expect((await problemOf(clientWith().getLink('spring'))).retryAfter).to.be.within(3_000, 3_600)
    expect(asked).to.have.length(3)
  })

  it('waits as long as the service says, and no longer than until the signal', async () => {
    answer = () => problem(429, 'rate_limited', { 'Retry-After': '600' })
    const leaving = new AbortController()
    const waiting = clientWith({ maxRetryAfter: 600 }).deleteLink('spring', { signal: leaving.signal })
    await until('the first try', () => asked.length > 0)
    leaving.abort(new Error('no longer needed'))
    const error: unknown = await waiting.catch((error: unknown) => error)
    expect(error).to.have.property('message', 'no longer needed')
    expect(asked).to.have.length(1)
  })

  it('sends nothing for a signal that is over already', async () => {
    const error: unknown = await clientWith()
      .getLink('spring', { signal: AbortSignal.abort() })
      .catch((error: unknown) => error)
    expect(error).to.have.property('name', 'AbortError')
    expect(asked).to.have.length(0)
  })
})
