import { expect } from 'chai'

import { LinkgateProblem, createClient, type ClientOptions, type Tokens } from '../../src/client/client.js'
import {
  json,
  problem,
  startScriptedServer,
  type Asked,
  type Scripted,
  type ScriptedServer,
} from '../support/scripted-server.js'
import { until, within } from '../support/until.js'

const codeOf = (error: unknown) => (error instanceof LinkgateProblem ? error.code : error)

/** A pair of tokens that lives for so long. */
const pair = (name: string, seconds = 900): Tokens => ({
  access_token: `access-${name}`,
  refresh_token: `refresh-${name}`,
  expires_at: Date.now() + seconds * 1_000,
})

describe('signing in with the client', () => {
  let server: ScriptedServer
  /** the only access token that is good; every renewal makes the next one */
  let good: number
  let renewal: () => Promise<Scripted> | Scripted
  const told: (Tokens | null)[] = []
  const asked: Asked[] = []

  const next = () => {
    good += 1
    return json({ access_token: `access-${good}`, refresh_token: `refresh-${good}`, expires_in: 900, scope: '' })
  }

  before(async () => {
    server = await startScriptedServer((each) => {
      asked.push(each)
      if (each.path === '/auth/token') return renewal()
      if (each.path === '/auth/revoke') return json({})
      return each.headers.authorization === `Bearer access-${good}` ? json({ id: '1' }) : problem(401, 'invalid_token')
    })
  })
  beforeEach(() => {
    good = 0
    renewal = next
    asked.splice(0)
    told.splice(0)
  })
  after(() => server.stop())

  const clientWith = (options: Partial<ClientOptions>) =>
    createClient({ baseUrl: server.baseUrl, onTokens: (tokens) => told.push(tokens), ...options })

  const bodiesOf = (path: string): readonly unknown[] =>
    asked.filter((each) => each.path === path).map(({ body }) => JSON.parse(body))

  const outcomes = async (calls: readonly Promise<unknown>[]): Promise<readonly unknown[]> =>
    (await Promise.allSettled(calls)).map((each) => (each.status === 'fulfilled' ? 'done' : codeOf(each.reason)))

  it('keeps the tokens, tells of them, and sends the one for access', async () => {
    const client = clientWith({})
    const tokens = await client.signIn({ email: 'ada@example.com', password: 'hers', scope: 'link:read' })
    expect(tokens).to.include({ access_token: 'access-1', refresh_token: 'refresh-1' })
    expect(told).to.deep.equal([tokens])
    expect(bodiesOf('/auth/token')).to.deep.equal([
      { grant_type: 'password', username: 'ada@example.com', password: 'hers', scope: 'link:read' },
    ])
    await client.getProfile()
    expect(asked.map(({ headers }) => headers.authorization)).to.deep.equal([undefined, 'Bearer access-1'])
  })

  it('renews a token that is about to end, once for all who call', async () => {
    const client = clientWith({ tokens: pair('0', 20) })
    expect(await outcomes(Array.from({ length: 20 }, () => client.getProfile()))).to.deep.equal(Array(20).fill('done'))
    expect(bodiesOf('/auth/token')).to.deep.equal([{ grant_type: 'refresh_token', refresh_token: 'refresh-0' }])
    expect(asked.filter(({ path }) => path === '/users/me')).to.have.length(20)
    expect(told.map((each) => each?.refresh_token)).to.deep.equal(['refresh-1'])
  })

  it('renews a token that is refused, once for all who call, and each call is made again', async () => {
    good = 7
    const client = clientWith({ tokens: pair('0') })
    const calls = [
      ...Array.from({ length: 10 }, () => client.getProfile()),
      ...Array.from({ length: 10 }, () => client.deleteLink('spring')),
    ]
    expect(await outcomes(calls)).to.deep.equal(Array(20).fill('done'))
    expect(bodiesOf('/auth/token')).to.have.length(1)
    await client.getProfile()
    expect(asked.at(-1)?.headers.authorization).to.equal('Bearer access-8')
  })

  it('does not renew for a refusal that comes late: the call is made again with the new token', async () => {
    let renewed: (() => void) | undefined
    const after = new Promise<void>((resolve) => (renewed = resolve))
    const slow = await startScriptedServer(async ({ path, headers }) => {
      if (path === '/auth/token') return json({ access_token: 'new', refresh_token: 'r', expires_in: 900, scope: '' })
      if (headers.authorization === 'Bearer new') return json({ id: '1' })
      if (path === '/links/late') await after
      return problem(401, 'invalid_token')
    })
    const client = createClient({ baseUrl: slow.baseUrl, tokens: pair('0') })
    const late = client.getLink('late')
    await until('the call', () => slow.asked.length > 0)
    await client.getProfile()
    renewed?.()
    await late
    expect(slow.asked.filter(({ path }) => path === '/auth/token')).to.have.length(1)
    await slow.stop()
  })

  it('does not renew again where the new token is refused, too', async () => {
    const client = clientWith({ tokens: pair('0'), retries: 0 })
    renewal = () => json({ access_token: 'bad', refresh_token: 'refresh-1', expires_in: 900, scope: '' })
    good = 7
    expect(await outcomes([client.getProfile()])).to.deep.equal(['invalid_token'])
    expect(bodiesOf('/auth/token')).to.have.length(1)
  })

  it('fails for all who waited where the renewal is refused, and sends no token after it', async () => {
    const client = clientWith({ tokens: pair('0', 0) })
    renewal = () => problem(400, 'invalid_grant')
    expect(await outcomes(Array.from({ length: 5 }, () => client.getProfile()))).to.deep.equal(
      Array(5).fill('invalid_grant'),
    )
    expect(bodiesOf('/auth/token')).to.have.length(1)
    expect(told).to.deep.equal([null])
    expect(await outcomes([client.getProfile()])).to.deep.equal(['invalid_token'])
    expect(asked.at(-1)?.headers.authorization).to.equal(undefined)
  })

  it('goes on with the token at hand where a renewal fails before it has ended, unless that is refused', async () => {
    for (const failure of [() => problem(429, 'rate_limited'), () => ({ breaksOff: 'before' }) as const]) {
      const client = clientWith({ tokens: pair('0', 20), retries: 0 })
      renewal = failure
      expect(await outcomes([client.getProfile(), client.getProfile()])).to.deep.equal(['done', 'done'])
      expect(asked.at(-1)?.headers.authorization).to.equal('Bearer access-0')
    }
    const client = clientWith({ tokens: pair('0', 20) })
    renewal = () => problem(400, 'invalid_grant')
    expect(await outcomes([client.getProfile()])).to.deep.equal(['invalid_grant'])
  })

  it('tries a renewal whose answer was lost no second time by itself, and keeps the sign-in', async () => {
    const client = clientWith({ tokens: pair('0', 0) })
    renewal = () => ({ breaksOff: 'before' })
    expect(await outcomes([client.getProfile(), client.getProfile()])).to.deep.equal(['network_error', 'network_error'])
    expect(bodiesOf('/auth/token')).to.have.length(1)
    expect(told).to.deep.equal([])
    renewal = next
    expect(await outcomes([client.getProfile()])).to.deep.equal(['done'])
  })

  it('lets one who waits for a renewal leave, and the others go on', async () => {
    const client = clientWith({ tokens: pair('0', 0) })
    const leaving = new AbortController()
    let go: (() => void) | undefined
    const gate = new Promise<void>((resolve) => (go = resolve))
    renewal = async () => {
      await gate
      return next()
    }
    const left = client.getProfile({ signal: leaving.signal })
    const stayed = client.getProfile()
    await until('the renewal', () => bodiesOf('/auth/token').length > 0)
    leaving.abort(new Error('no longer needed'))
    const error: unknown = await left.catch((error: unknown) => error)
    expect(error).to.have.property('message', 'no longer needed')
    go?.()
    expect(await outcomes([stayed])).to.deep.equal(['done'])
    expect(bodiesOf('/auth/token')).to.have.length(1)
  })

  it('leaves at once where it waits for the token of a function, or signing out for a renewal', async () => {
    const reason = new Error('no longer needed')
    const leaves = async (call: (signal: AbortSignal) => Promise<unknown>, isWaiting: () => boolean) => {
      const leaving = new AbortController()
      const left = call(leaving.signal).catch((error: unknown) => error)
      await until('the wait', isWaiting)
      leaving.abort(reason)
      expect(await within('the end of the wait', left)).to.equal(reason)
    }
    let calls = 0
    const never = new Promise<string>(() => undefined)
    const unanswered = clientWith({
      token: () => {
        calls += 1
        return calls === 2 ? 'refused' : never
      },
    })
    await leaves(
      (signal) => unanswered.getProfile({ signal }),
      () => calls === 1,
    )
    // the second token is refused, and another one is asked for
    await leaves(
      (signal) => unanswered.getProfile({ signal }),
      () => calls === 3,
    )

    let go: (() => void) | undefined
    const gate = new Promise<void>((resolve) => (go = resolve))
    renewal = async () => {
      await gate
      return next()
    }
    const client = clientWith({ tokens: pair('0', 0) })
    const stayed = outcomes([client.getProfile()])
    await leaves(
      (signal) => client.signOut({ signal }),
      () => bodiesOf('/auth/token').length > 0,
    )
    go?.()
    expect(await stayed).to.deep.equal(['done'])
    expect(bodiesOf('/auth/revoke')).to.deep.equal([])
  })

  it('gives up a renewal that hangs: calls go on with the token at hand or fail, and the next one renews', async () => {
    const { timeout } = AbortSignal
    // what takes a second takes a millisecond
    AbortSignal.timeout = (ms) => timeout(ms / 1_000)
    try {
      renewal = () => new Promise<never>(() => undefined)
      const early = clientWith({ tokens: pair('0', 20) })
      const late = clientWith({ tokens: pair('0', 0) })
      expect(
        await within('the calls', outcomes([early.getProfile(), late.getProfile(), late.getProfile()])),
      ).to.deep.equal(['done', 'network_error', 'network_error'])
      const calls = outcomes([late.getProfile()])
      await within('the end of signing out', late.signOut())
      expect(await calls).to.deep.equal(['network_error'])
      // a busy machine may need longer for the one that is answered
      AbortSignal.timeout = timeout
      renewal = next
      await early.getProfile()
      expect(asked.at(-1)?.headers.authorization).to.equal('Bearer access-1')
    } finally {
      AbortSignal.timeout = timeout
    }
  })

  it('signs out with the newest refresh token, and waits for a renewal that is under way', async () => {
    const client = clientWith({ tokens: pair('0', 0) })
    const calls = outcomes([client.getProfile()])
    await client.signOut()
    expect(await calls).to.deep.equal(['done'])
    expect(bodiesOf('/auth/revoke')).to.deep.equal([{ token: 'refresh-1' }])
    expect(told.at(-1)).to.equal(null)
    await client.signOut()
    expect(bodiesOf('/auth/revoke')).to.have.length(1)
  })

  it('repeats no call of one person as another', async () => {
    let refuse: (() => void) | undefined
    const waits = new Promise<void>((resolve) => (refuse = resolve))
    const slow = await startScriptedServer(async ({ path }) => {
      if (path !== '/links/spring') return json({ access_token: 'of-bob', refresh_token: 'b', expires_in: 900 })
      await waits
      return problem(401, 'invalid_token')
    })
    const client = createClient({ baseUrl: slow.baseUrl, tokens: pair('of-ada') })
    const call = outcomes([client.deleteLink('spring')])
    await until('the call', () => slow.asked.length > 0)
    await client.signIn({ email: 'bob@example.com', password: 'his' })
    refuse?.()
    expect(await call).to.deep.equal(['invalid_token'])
    expect(slow.asked.filter(({ path }) => path === '/links/spring')).to.have.length(1)
    await slow.stop()
  })

  it('asks a function for its token, and once more where that is refused', async () => {
    const given: string[] = []
    const client = clientWith({
      token: async () => {
        given.push(`access-${given.length}`)
        return given.at(-1) ?? ''
      },
    })
    good = 1
    await client.getProfile()
    expect(given).to.deep.equal(['access-0', 'access-1'])
    const same = clientWith({ token: () => 'access-old' })
    expect(await outcomes([same.getProfile()])).to.deep.equal(['invalid_token'])
    const text = clientWith({ token: 'access-old' })
    expect(await outcomes([text.getProfile()])).to.deep.equal(['invalid_token'])
    expect(asked.filter(({ headers }) => headers.authorization === 'Bearer access-old')).to.have.length(2)
  })
})
