import { join } from 'node:path'

import { expect } from 'chai'

import { at, textAt } from './json.js'
import { testDatabase, type TestDatabase } from './database.js'
import { clockMovedBy, hasFakeTime } from './fake-time.js'
import { onDatabase, startNode } from './node.js'
import { startOwnServer, tellsProcesses } from './own-server.js'
import { requireBuilt, runProgram } from './program.js'
import { startTestService } from './service.js'
import { madeSigningKey } from './signing-key.js'
import { until } from './until.js'

const whole = async (environment: Readonly<Record<string, string>>) => {
  const { code, stdout, stderr } = await runProgram(['audit', 'verify'], environment).ended
  expect(code, stdout + stderr).to.equal(0)
}

export interface MovedClockOptions {
  /** how far the service's clock is moved, and how a creation with a token of now is then answered */
  readonly offsets: readonly (readonly [offset: string, status: 201 | 401])[]
  /** whether clocks are moved by years, too: the service's, and the database's there and back */
  readonly years: boolean
}

/** Pending, by name, where faketime is not installed. */
export const describeMovedClock = ({ offsets, years }: MovedClockOptions): void =>
  void (hasFakeTime && tellsProcesses ? describe : describe.skip)('a clock that is moved (needs faketime)', () => {
    describe('the service’s', () => {
      let db: TestDatabase
      let environment: Readonly<Record<string, string>>
      before(async () => {
        requireBuilt()
        db = await testDatabase()
        environment = {
          ...onDatabase(db.service, db.owner),
          JWT_SIGNING_KEY_FILE: await madeSigningKey(),
        }
        const { code, stderr } = await runProgram(
          ['user', 'add', '--email', 'clock@example.com', '--role', 'editor'],
          environment,
        ).ended
        expect(code, stderr).to.equal(0)
      })
      const tokenOf = async (clock: Readonly<Record<string, string>> = {}) =>
        (
          await runProgram(['token', '--user', 'clock@example.com', '--ttl', '600'], { ...environment, ...clock }).ended
        ).stdout.trim()

      for (const [offset, status] of offsets) {
        it(`by ${offset}: a token of now is ${status === 201 ? 'good' : 'refused'}, its own is good`, async () => {
          const clock = clockMovedBy(offset)
          const [ofNow, own] = await Promise.all([tokenOf(), tokenOf(clock)])
          const node = await startNode({ ...environment, ...clock })
          try {
            for (const [token, expected] of [
              [ofNow, status],
              [own, 201],
            ] as const) {
              const answer = await fetch(`${node.baseUrl}/links`, {
                method: 'POST',
                headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
                body: JSON.stringify({ target: 'https://example.com/' }),
              })
              expect(answer.status, await answer.text()).to.equal(expected)
            }
          } finally {
            await node.stop()
          }
        })
      }

      if (years)
        it('by three years: changes go on, and every entry of the log has the time of the database', async () => {
          const clock = clockMovedBy('+1100d')
          const token = await tokenOf(clock)
          const node = await startNode({ ...environment, ...clock })
          try {
            for (let i = 0; i < 5; i += 1) {
              const headers = {
                Authorization: `Bearer ${token}`,
                'Content-Type': 'application/json',
                'X-Request-ID': `clock-${i}`,
              }
              // a change, whose entry commits with it, and a refusal, whose entry is written by itself
              expect(
                (
                  await fetch(`${node.baseUrl}/links`, {
                    method: 'POST',
                    headers,
                    body: JSON.stringify({ target: 'https://example.com/' }),
                  })
                ).status,
              ).to.equal(201)
              expect((await fetch(`${node.baseUrl}/policy`, { headers })).status).to.equal(403)
            }
          } finally {
            await node.stop()
          }
          const entries = await db.asOwner<{ request_id: string; partition: string; effect: string }>(
            `select request_id, tableoid::regclass::text as partition, effect from decisions
              where request_id like 'clock-%' order by id`,
          )
          for (const effect of ['allow', 'deny']) {
            const of = entries.filter((entry) => entry.effect === effect)
            expect(of.map(({ request_id }) => request_id)).to.deep.equal([
              'clock-0',
              'clock-1',
              'clock-2',
              'clock-3',
              'clock-4',
            ])
            for (const { partition } of of) expect(partition).to.not.equal('decisions_default')
          }
          await whole(environment)
        })
    })

    if (years)
      it('the database’s, by three years and back: its own times follow it, and the log is whole', async () => {
        const server = await startOwnServer({ settings: { fsync: 'off' } })
        try {
          const environment = {
            ...onDatabase(server.service, server.owner),
            JWT_SIGNING_KEY_FILE: await madeSigningKey(join(server.dataDir, 'key.pem')),
          }
          const service = await startTestService({
            db: server.database,
            environment: { JWT_SIGNING_KEY_FILE: environment.JWT_SIGNING_KEY_FILE },
          })
          try {
            const { token } = await service.addUser('editor')
            const made = await service.request('POST', '/users/me/tokens', {
              token,
              json: { name: 'for an hour', scopes: ['link:create'], expires_in: 3_600 },
            })
            const personal = textAt(made.json, 'token')
            const create = (by: string) =>
              service.request('POST', '/links', { token: by, json: { target: 'https://example.com/' } })
            expect((await create(personal)).status).to.equal(201)
            for (const [clock, ofPersonal] of [
              [clockMovedBy('+1100d'), 401],
              [{}, 201],
            ] as const) {
              await server.restartWith(clock)
              await until('a link is made', async () => (await create(token)).status === 201)
              expect((await create(personal)).status).to.equal(ofPersonal)
            }
            const ids = await server.ask<{ time: Date; partition: string }>(
              `select time, tableoid::regclass::text as partition from decisions
                where action = 'link:create' and effect = 'allow' order by id`,
            )
            const years = ids.map(({ time }) => time.getUTCFullYear())
            expect(years.at(-1)).to.equal(years[0])
            expect(Math.max(...years) - (years[0] ?? 0)).to.be.within(3, 4)
            expect(new Set(ids.map(({ partition }) => partition))).to.include('decisions_default')
            expect(at(made.json, 'name')).to.equal('for an hour')
          } finally {
            await service.stop()
          }
          await whole(environment)
        } finally {
          await server.remove()
        }
      })
  })
