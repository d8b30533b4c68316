import { expect } from 'chai'

import { at, listAt } from './json.js'
import { random } from './random.js'
import { freshCode, storedLinks } from './records.js'
import { startTestService, type TestService, type TestUser } from './service.js'

const USERS = 50

export interface LeakOptions {
  readonly atOnce: number
  /** for so many requests, or so many milliseconds */
  readonly requests?: number
  readonly milliseconds?: number
}

/** What one user may find of theirs: codes that surely exist, and those whose request was cut off before its answer. */
interface Account {
  readonly user: TestUser
  readonly has: Map<string, string>
  readonly unsure: Set<string>
}

/** Requests of fifty users over two connections, with errors, cancellations and killed backends between them. */
export const describeLeakHunt = (
  name: string,
  { atOnce, requests = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY }: LeakOptions,
): void =>
  void describe(name, () => {
    let service: TestService
    const accounts: Account[] = []
    const statuses = new Map<number, number>()
    let kills = 0
    let cancelled = 0

    before(async () => {
      service = await startTestService({ environment: { DATABASE_POOL_SIZE: '2', REQUEST_DEADLINE_MS: '20000' } })
      for (let i = 0; i < USERS; i += 1)
        accounts.push({
          user: await service.addUser(i % 5 === 0 ? 'viewer' : 'editor'),
          has: new Map(),
          unsure: new Set(),
        })
    })
    after(() => service.stop())

    it('never show or change a row of another user, amid errors, cancellations and killed backends', async () => {
      const chance = random(20_261_121)
      const pick = <T>(list: readonly T[]): T => {
        const value = list[chance.integer(0, list.length - 1)]
        if (value === undefined) throw new Error('an empty list')
        return value
      }
      // codes that a user has a request about in flight are left to that request
      const busy = new Set<string>()
      const codeOf = ({ has, unsure }: Account) => [...has.keys()].find((code) => !busy.has(code) && !unsure.has(code))

      const ask = async (account: Account, method: string, path: string, json?: unknown) => {
        const cancel = chance.next() < 0.08 ? new AbortController() : undefined
        if (cancel) setImmediate(() => cancel.abort())
        try {
          const response = await fetch(`${service.baseUrl}${path}`, {
            method,
            headers: { Authorization: `Bearer ${account.user.token}`, 'Content-Type': 'application/json' },
            ...(json === undefined ? {} : { body: JSON.stringify(json) }),
            ...(cancel ? { signal: cancel.signal } : {}),
          })
          const text = await response.text()
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
          // 503: a backend was killed under it; the commit may have been lost or only its acknowledgement
          return response.status === 503 ? null : { status: response.status, text }
        } catch (error) {
          if (!cancel) throw error
          cancelled += 1
          return null
        }
      }
      const owners = (text: string, lines = false): unknown[] =>
        lines
          ? text
              .split('\n')
              .filter(Boolean)
              .map((line) => at(JSON.parse(line), 'owner_id'))
          : listAt(JSON.parse(text), 'data').map((link) => at(link, 'owner_id'))

      const create = async (account: Account) => {
        const code = freshCode('leak')
        const target = `https://example.com/${account.user.id}`
        const answer = await ask(account, 'POST', '/links', { code, target })
        if (answer === null) account.unsure.add(code)
        else {
          expect(answer.status, answer.text).to.equal(201)
          expect(JSON.parse(answer.text)).to.include({ owner_id: account.user.id })
          account.has.set(code, target)
        }
      }
      const change = async (account: Account) => {
        const code = codeOf(account)
        if (code === undefined) return create(account)
        busy.add(code)
        const target = `https://example.com/${account.user.id}/${freshCode('t')}`
        const answer = await ask(account, 'PATCH', `/links/${code}`, { target })
        if (answer === null) account.unsure.add(code)
        else {
          expect(answer.status, answer.text).to.equal(200)
          account.has.set(code, target)
        }
        busy.delete(code)
      }
      const remove = async (account: Account) => {
        const code = codeOf(account)
        if (code === undefined) return create(account)
        busy.add(code)
        const answer = await ask(account, 'DELETE', `/links/${code}`)
        if (answer === null) account.unsure.add(code)
        else {
          expect(answer.status, answer.text).to.equal(204)
          account.has.delete(code)
        }
        busy.delete(code)
      }
      const steal = async (account: Account) => {
        const other = pick(accounts)
        const code = [...other.has.keys()].find((each) => !account.has.has(each))
        if (code === undefined || other === account) return create(account)
        const [method, json] = pick<readonly [string, unknown]>([
          ['DELETE', undefined],
          ['PATCH', { target: 'https://example.com/stolen' }],
        ])
        const answer = await ask(account, method, `/links/${code}`, json)
        // the other deleted it, and this one made a link of its code (`fail`), whether or not they heard of it: then it
        // was their own
        if (account.has.has(code) || account.unsure.has(code)) account.unsure.add(code)
        else if (answer !== null)
          expect(answer.status, `asked by ${account.user.id}: ${answer.text}`).to.be.oneOf([403, 404])
      }
      const read = async (account: Account) => {
        const answer = await ask(account, 'GET', '/links?limit=100')
        if (answer !== null) for (const owner of owners(answer.text)) expect(owner).to.equal(account.user.id)
      }
      const exportAll = async (account: Account) => {
        const answer = await ask(account, 'GET', '/links/export?format=ndjson').catch(() => null)
        if (answer !== null) for (const owner of owners(answer.text, true)) expect(owner).to.equal(account.user.id)
      }
      const me = async (account: Account) => {
        const [method, json] = pick<readonly [string, unknown]>([
          ['GET', undefined],
          ['PATCH', { name: `user ${account.user.id}` }],
        ])
        const answer = await ask(account, method, '/users/me', json)
        if (answer !== null)
          expect(JSON.parse(answer.text)).to.include({ id: account.user.id, email: account.user.email })
      }
      const fail = async (account: Account) => {
        const taken = [...pick(accounts).has.keys()][0] ?? 'x'
        const [method, path, json, status] = pick([
          ['POST', '/links', { code: taken, target: 'https://example.com/' }, [409, 201]],
          ['POST', '/links', { target: 'javascript:alert(1)' }, [422]],
          ['PATCH', '/users/me', { role: 'admin' }, [422]],
          ['GET', '/links?cursor=nonsense', undefined, [400]],
          ['GET', '/policy', undefined, [403]],
        ] as const)
        const answer = await ask(account, method, path, json)
        if (answer === null) {
          if (method === 'POST') account.unsure.add(taken)
        } else {
          expect(answer.status, answer.text).to.be.oneOf(status)
          if (answer.status === 201) account.has.set(taken, 'https://example.com/')
        }
      }
      const kill = async () => {
        kills += 1
        await service.db.asOwner(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and usename = 'linkgate_service' and pid <> pg_backend_pid()
            order by random() limit 1`,
        )
      }
      const deeds = [create, create, change, change, remove, steal, steal, read, read, exportAll, me, me, fail, fail]

      let begun = 0
      const until = performance.now() + milliseconds
      const worker = async () => {
        while (begun < requests && performance.now() < until) {
          begun += 1
          if (begun % 100 === 0) await kill()
          await pick(deeds)(pick(accounts))
        }
      }
      await Promise.all(Array.from({ length: atOnce }, worker))

      expect(kills).to.equal(Math.floor(begun / 100))
      expect(cancelled).to.be.greaterThan(20)
      for (const status of [200, 201, 204, 400, 403, 409, 422])
        expect(statuses.get(status), String(status)).to.be.greaterThan(0)
      for (const status of statuses.keys()) expect(status).to.be.oneOf([200, 201, 204, 400, 403, 404, 409, 422, 503])
    })

    it('leave every acknowledged row in its place, under its owner, and none that nobody asked for', async () => {
      // requests that were cut off may still be under way on the server; a stop waits for them
      const rows = await storedLinks(service.db)
      const byCode = new Map(rows.map((row) => [row.code, row]))
      for (const { user, has, unsure } of accounts) {
        for (const [code, target] of has) {
          if (unsure.has(code)) continue
          expect(byCode.get(code), code).to.deep.equal({ code, target, owner_id: user.id })
        }
      }
      for (const { code, owner_id, target } of rows) {
        const owner = accounts.find(({ user }) => user.id === owner_id)
        expect(owner?.has.has(code) === true || owner?.unsure.has(code) === true, `${code} of ${owner_id}`).to.equal(
          true,
        )
        if (owner?.unsure.has(code) !== true)
          expect(target).to.match(new RegExp(`^https://example\\.com/(?:${owner_id}(?:/|$)|$)`))
      }
      const names = await service.db.asOwner<{ id: string; name: string; role: string }>(
        'select id, name, role from users',
      )
      for (const { id, name, role } of names) expect(name).to.be.oneOf([role, `user ${id}`])
    })

    it('leave a record of the decision for every change that was acknowledged', async () => {
      const changes = (statuses.get(201) ?? 0) + (statuses.get(204) ?? 0)
      const [recorded] = await service.db.asOwner<{ count: string }>(
        `select count(*) from decisions where action in ('link:create', 'link:delete') and effect = 'allow'`,
      )
      expect(Number(recorded?.count)).to.be.within(changes, changes + cancelled + (statuses.get(503) ?? 0))
      const rules = await service.db.asOwner<{ rule: string }>(
        `select distinct rule from decisions
          where effect = 'allow' and action in ('link:create', 'link:update', 'link:delete', 'profile:update')
          order by 1`,
      )
      expect(rules.map(({ rule }) => rule)).to.deep.equal(['R4', 'R5', 'R7'])
    })

    it('leave both connections usable', async () => {
      const answers = await Promise.all(
        accounts.slice(0, 10).map(({ user }) => service.request('GET', '/links', { token: user.token })),
      )
      for (const { status } of answers) expect(status).to.equal(200)
    })
  })
