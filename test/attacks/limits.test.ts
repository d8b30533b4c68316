import { generateKeyPairSync } from 'node:crypto'

import { expect } from 'chai'

import { backgroundWork } from '../../src/jobs/background-work.js'
import { parseExposition } from '../support/exposition.js'
import { textAt } from '../support/json.js'
import { signRaw } from '../support/raw-token.js'
import { startTestService, type TestResponse, type TestService } from '../support/service.js'
import { until } from '../support/until.js'

const QUOTA = 5
const JOBS = backgroundWork({ run: async () => [] }, { trashDays: 1, visitDays: 1 }).length

const started: TestService[] = []
const start = async (environment: Readonly<Record<string, string>> = {}) => {
  const service = await startTestService({ environment: { RATE_LIMIT_ANONYMOUS: `${QUOTA}/600`, ...environment } })
  started.push(service)
  return service
}

/** Who asks more often than they may hears 429, in this form. */
const expectRefused = (answer: TestResponse, what: string): void => {
  expect(answer.json, what).to.include({ status: 429, code: 'rate_limited' })
  expect(answer.headers.get('Retry-After'), what).to.match(/^[1-9]\d*$/)
}

describe('over the limit', () => {
  after(async () => {
    for (const service of started) await service.stop()
  })

  it('request N+1 is 429 with an integer Retry-After of at least 1', async () => {
    const service = await start()
    for (let i = 0; i < QUOTA; i += 1) expect((await service.request('GET', '/absent')).status).to.equal(404)
    expectRefused(await service.request('GET', '/absent'), 'N+1')
  })

  it('a burst in parallel is counted exactly', async () => {
    const service = await start()
    const answers = await Promise.all(Array.from({ length: 60 }, () => service.request('GET', '/absent')))
    expect(answers.filter(({ status }) => status === 404)).to.have.length(QUOTA)
    for (const answer of answers.filter(({ status }) => status !== 404)) expectRefused(answer, 'a burst')
  })

  it('no header that a caller can send chooses their bucket', async () => {
    const service = await start()
    const names = [
      'X-Forwarded-For',
      'Forwarded',
      'X-Real-IP',
      'Client-IP',
      'True-Client-IP',
      'CF-Connecting-IP',
      'X-Client-IP',
      'X-Cluster-Client-IP',
      'Via',
      'X-Forwarded-Host',
      'User-Agent',
      'X-Request-ID',
    ]
    for (let i = 0; i < QUOTA; i += 1) await service.request('GET', '/absent')
    for (const [i, name] of names.entries()) {
      for (const value of [
        `198.51.100.${i}`,
        `for=198.51.100.${i};by=203.0.113.${i}`,
        `2001:db8:${i}::1`,
        '127.0.0.1',
      ]) {
        expectRefused(await service.request('GET', '/absent', { headers: { [name]: value } }), `${name}: ${value}`)
      }
    }
  })

  it('behind one proxy of ours only the entry that it wrote counts, whatever a caller put before it', async () => {
    const service = await start({ TRUSTED_PROXY_HOPS: '1' })
    for (let i = 0; i < QUOTA; i += 1)
      expect(
        (await service.request('GET', '/absent', { headers: { 'X-Forwarded-For': `198.51.100.${i}, 203.0.113.7` } }))
          .status,
      ).to.equal(404)
    expectRefused(
      await service.request('GET', '/absent', { headers: { 'X-Forwarded-For': '10.0.0.1, 192.0.2.200, 203.0.113.7' } }),
      'the same caller',
    )
    expect(
      (await service.request('GET', '/absent', { headers: { 'X-Forwarded-For': '203.0.113.8' } })).status,
      'another caller',
    ).to.equal(404)
  })

  it('one caller with a whole /64 has one bucket, and so has an address written as IPv4 in IPv6', async () => {
    const service = await start({ TRUSTED_PROXY_HOPS: '1' })
    const from = (address: string) => service.request('GET', '/absent', { headers: { 'X-Forwarded-For': address } })
    for (const address of [
      '2001:db8:0:1::1',
      '2001:DB8:0:1:ffff:ffff:ffff:ffff',
      '2001:db8:0:1:a::',
      '2001:0db8:0000:0001::9',
      '[2001:db8:0:1::2]:443',
    ])
      expect((await from(address)).status, address).to.equal(404)
    expectRefused(await from('2001:db8:0:1:1234:5678:9abc:def0'), 'the same /64')
    expect((await from('2001:db8:0:2::1')).status, 'the next /64').to.equal(404)
    for (const address of [
      '192.0.2.9',
      '::ffff:192.0.2.9',
      '::FFFF:c000:209',
      '0:0:0:0:0:ffff:192.0.2.9',
      '192.0.2.9:8080',
    ])
      expect((await from(address)).status, address).to.equal(404)
    expectRefused(await from('::ffff:c000:0209'), 'the same IPv4 address')
  })

  it('a subject that nobody verified chooses no bucket: forged tokens count against their address', async () => {
    const service = await start({ RATE_LIMIT_USER: '2/600' })
    const user = await service.addUser('editor')
    const [head = '', payload = ''] = user.token.split('.')
    const forged = (sub: string) =>
      signRaw(
        generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
        JSON.parse(Buffer.from(head, 'base64url').toString('utf8')),
        { ...JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), sub },
      )
    for (let i = 0; i < QUOTA; i += 1)
      expect(
        (await service.request('GET', '/links', { token: forged(i % 2 === 0 ? user.id : String(i)) })).status,
      ).to.equal(401)
    expectRefused(await service.request('GET', '/links', { token: forged('77') }), 'forged')
    expect(
      (await service.request('GET', '/links', { token: user.token })).status,
      'whose name was taken in vain',
    ).to.equal(200)
    expect((await service.request('GET', '/links', { token: user.token })).status).to.equal(200)
    expectRefused(await service.request('GET', '/links', { token: user.token }), 'their own')
  })

  it('a caller has one bucket, whichever of their tokens they use', async () => {
    const service = await start({ RATE_LIMIT_USER: '3/600' })
    const user = await service.addUser('editor')
    for (let i = 0; i < 3; i += 1)
      expect((await service.request('GET', '/links', { token: await service.tokenFor(user) })).status).to.equal(200)
    expectRefused(
      await service.request('GET', '/links', { token: await service.tokenFor(user, 'link:read') }),
      'a fresh token',
    )
  })

  it('a token whose user is suspended counts against its address, and leaves the user’s own limit alone', async () => {
    const service = await start({ RATE_LIMIT_USER: '3/600' })
    const user = await service.addUser('editor')
    const suspend = (at: string) => service.db.asOwner(`update users set suspended_at = ${at} where id = $1`, [user.id])
    const ask = () => service.request('GET', '/links', { token: user.token })
    await suspend('now()')
    expect((await ask()).status).to.equal(401)
    await suspend('null')
    const back = [await ask(), await ask()]
    expect(back.map(({ status }) => status)).to.deep.equal([200, 200])
    expect(back[1]?.headers.get('RateLimit'), 'counted as theirs again').to.match(/^"user";r=2;/)
    await suspend('now()')
    for (let i = 2; i < QUOTA; i += 1) expect((await ask()).status).to.equal(401)
    expectRefused(await ask(), 'once too often')
    expectRefused(await service.request('GET', '/absent'), 'the address')
    await suspend('null')
    for (let i = 0; i < 2; i += 1) {
      const token = await service.tokenFor(user)
      expect((await service.request('GET', '/links', { token })).status, 'their own limit').to.equal(200)
    }
  })

  it('a personal token that was revoked counts against its address, and leaves its user’s limit alone', async () => {
    const service = await start({ RATE_LIMIT_USER: '4/600' })
    const { token } = await service.addUser('editor')
    const made = await service.request('POST', '/users/me/tokens', {
      token,
      json: { name: 'x', scopes: ['link:read'] },
    })
    const personal = textAt(made.json, 'token')
    expect((await service.request('GET', '/links', { token: personal })).status).to.equal(200)
    await service.request('DELETE', `/users/me/tokens/${textAt(made.json, 'id')}`, { token })
    for (let i = 0; i < QUOTA; i += 1)
      expect((await service.request('GET', '/links', { token: personal })).status).to.equal(401)
    expectRefused(await service.request('GET', '/links', { token: personal }), 'once too often')
    expect((await service.request('GET', '/links', { token })).status, 'their fourth request').to.equal(200)
    expectRefused(await service.request('GET', '/links', { token }), 'their fifth')
  })

  describe('costs no query', () => {
    /** Statements that the service has sent by themselves; its policy watch sends one now and then. */
    const sent = async (service: TestService): Promise<number> => {
      const { series } = parseExposition((await service.request('GET', '/metrics')).text)
      const counts = series.filter(({ name }) => name === 'linkgate_database_duration_seconds_count')
      expect(counts).to.not.deep.equal([])
      return counts.reduce((sum, { value }) => sum + value, 0)
    }
    /** Resolves when the background work of the start is done: it sends statements as well. */
    const untilIdle = (service: TestService): Promise<unknown> =>
      until('all background work was done once', async () => {
        const { series } = parseExposition((await service.request('GET', '/metrics')).text)
        return series.filter(({ name }) => name === 'linkgate_job_duration_seconds_count').length === JOBS
      })
    const expectFew = async (service: TestService, asks: () => Promise<TestResponse>, status: number) => {
      await untilIdle(service)
      const before = await sent(service)
      const answers: TestResponse[] = []
      // one after the other: look-ups of the same moment could share a query
      for (let i = 0; i < 50; i += 1) answers.push(await asks())
      // one for each would be 50
      expect((await sent(service)) - before).to.be.lessThan(25)
      expect(answers.filter((answer) => answer.status === 429)).to.have.length(49)
      expect(answers.filter((answer) => answer.status === status)).to.have.length(1)
    }

    it('with a personal token that is not valid', async () => {
      const service = await start({ RATE_LIMIT_ANONYMOUS: '1/600' })
      const token = `lgp_${'x'.repeat(43)}`
      await expectFew(service, () => service.request('GET', '/users/me', { token }), 401)
    })

    it('with a personal token that is not valid, on a route without a quota', async () => {
      const service = await start({ RATE_LIMIT_ANONYMOUS: '1/600' })
      const token = `lgp_${'x'.repeat(43)}`
      await expectFew(service, () => service.request('GET', '/healthz', { token }), 401)
      expect((await service.request('GET', '/healthz')).status, 'without a token').to.equal(200)
    })

    it('with an access token that is valid, on a route without a quota', async () => {
      const service = await start({ RATE_LIMIT_USER: '1/600' })
      const { token } = await service.addUser('editor')
      await expectFew(service, () => service.request('GET', '/healthz', { token }), 200)
    })

    it('with an access token that is valid', async () => {
      const service = await start({ RATE_LIMIT_USER: '1/600' })
      const { token } = await service.addUser('editor')
      await expectFew(service, () => service.request('GET', '/users/me', { token }), 200)
    })

    it('with an access token whose user is suspended', async () => {
      const service = await start({ RATE_LIMIT_ANONYMOUS: '2/600' })
      const { id, token } = await service.addUser('editor')
      await service.db.asOwner('update users set suspended_at = now() where id = $1', [id])
      expect((await service.request('GET', '/users/me', { token })).status).to.equal(401)
      await expectFew(service, () => service.request('GET', '/users/me', { token }), 401)
    })

    it('with a personal token that is valid, once this process has seen it', async () => {
      const service = await start({ RATE_LIMIT_USER: '3/600' })
      const { token } = await service.addUser('editor')
      const json = { name: 'a program', scopes: ['profile:read'] }
      const made = await service.request('POST', '/users/me/tokens', { token, json })
      const personal = textAt(made.json, 'token')
      expect((await service.request('GET', '/users/me', { token: personal })).status).to.equal(200)
      await expectFew(service, () => service.request('GET', '/users/me', { token: personal }), 200)
    })
  })

  it('of its address, a personal token that is valid is not counted', async () => {
    const service = await start({ RATE_LIMIT_ANONYMOUS: '2/600', RATE_LIMIT_USER: '100/600' })
    const { token } = await service.addUser('editor')
    for (let i = 0; i < 4; i += 1) {
      const made = await service.request('POST', '/users/me/tokens', { token, json: { name: `${i}`, scopes: [] } })
      const personal = textAt(made.json, 'token')
      const asked = await service.request('GET', '/absent', { token: personal })
      expect([asked.status, asked.headers.get('RateLimit-Policy')?.startsWith('"user"')]).to.deep.equal([404, true])
    }
    expect((await service.request('GET', '/absent')).status).to.equal(404)
  })
})
