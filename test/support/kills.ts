import { join } from 'node:path'

import { addUser } from './add-user.js'
import { WITNESS } from './log-truth.js'
import { onDatabase, startNode } from './node.js'
import { startOwnServer } from './own-server.js'
import { runProgram } from './program.js'
import { random } from './random.js'
import { until } from './until.js'
import { madeSigningKey } from './signing-key.js'

export interface KillReport {
  readonly kills: Readonly<Record<Victim, number>>
  readonly acknowledged: number
  /** requests whose answer never came, or was 503 */
  readonly unsure: number
  /**
   * acknowledged changes that no transaction committed, and refusals: each writer changes links of its own, as it may
   */
  readonly lost: readonly string[]
  /** changes without exactly one allow record, and allow records without a change */
  readonly halfDone: readonly string[]
  /** links that are not as the last acknowledged change left them */
  readonly wrong: readonly string[]
  /** what `linkgate audit verify` said */
  readonly verdict: string
  /**
   * from the moment at which everything was started again to the next acknowledged change, at the most; milliseconds
   */
  readonly slowestRecovery: number
}

const VICTIMS = ['service', 'database', 'both'] as const
type Victim = (typeof VICTIMS)[number]

const WRITERS = 8

/**
 * Eight writers, each with links of its own, while the service, the database (every process of it) or both are killed
 * with -9, so many times; then what is there held against what was acknowledged, and against a witness of what
 * committed.
 */
export const killAtRandom = async (kills: number, seed = 3): Promise<KillReport> => {
  const { integer } = random(seed)
  const server = await startOwnServer()
  const environment = {
    ...onDatabase(server.service, server.owner),
    JWT_SIGNING_KEY_FILE: await madeSigningKey(join(server.dataDir, 'key.pem')),
    LOG_LEVEL: 'info',
  }
  await server.ask(WITNESS)
  let node = await startNode(environment)
  try {
    const service = { connection: server.service, signingKeyFile: environment.JWT_SIGNING_KEY_FILE }
    const users = await Promise.all(Array.from({ length: WRITERS }, () => addUser(service, 'editor')))

    const ending = new AbortController()
    let number = 0
    const acknowledged: string[] = []
    const refused: string[] = []
    const unsure = new Set<string>()
    /** what each link is by the last acknowledged change of it; null: deleted */
    const expected = new Map<string, string | null>()
    const untilAcknowledged = (count: number) =>
      until(`${count} changes are acknowledged`, () => acknowledged.length >= count, { withinMs: 30_000 })
    let whole = Promise.resolve()

    const write = async (token: string, writer: number) => {
      for (let generation = 0; !ending.signal.aborted; generation += 1) {
        const code = `kill-${writer}-${generation}`
        const steps = integer(2, 6)
        for (let step = 0; step <= steps && !ending.signal.aborted; step += 1) {
          const id = `kill-${(number += 1)}`
          const target = `https://example.com/${id}`
          const [method, path, json] =
            step === 0
              ? (['POST', '/links', { code, target }] as const)
              : step === steps
                ? (['DELETE', `/links/${code}`, undefined] as const)
                : (['PATCH', `/links/${code}`, { target }] as const)
          const status = await fetch(`${node.baseUrl}${path}`, {
            method,
            headers: { Authorization: `Bearer ${token}`, 'X-Request-ID': id, 'Content-Type': 'application/json' },
            ...(json === undefined ? {} : { body: JSON.stringify(json) }),
          }).then(
            async (response) => {
              await response.arrayBuffer()
              return response.status
            },
            () => 503,
          )
          if (status < 300) {
            acknowledged.push(id)
            expected.set(code, method === 'DELETE' ? null : target)
          } else if (status === 503) {
            // it may have been done or not: this link is left as it is
            unsure.add(id)
            expected.delete(code)
            await whole
            break
          } else {
            refused.push(`${method} ${path}: ${status}`)
            break
          }
        }
      }
    }
    const writers = users.map(({ token }, i) => write(token, i))

    const tally = { service: 0, database: 0, both: 0 }
    let slowestRecovery = 0
    const strike = async (victim: Victim) => {
      if (victim === 'service') await node.stop('SIGKILL')
      else if (victim === 'database') await server.kill()
      else await Promise.all([node.stop('SIGKILL'), server.kill()])
      if (victim !== 'service') await server.start()
      if (victim !== 'database') node = await startNode(environment)
    }
    for (let i = 0; i < kills; i += 1) {
      await untilAcknowledged(acknowledged.length + integer(5, 30))
      const victim = VICTIMS[i % VICTIMS.length] ?? 'both'
      tally[victim] += 1
      const struck = strike(victim)
      whole = struck.then(() => undefined)
      await struck
      const start = performance.now()
      await untilAcknowledged(acknowledged.length + 1)
      slowestRecovery = Math.max(slowestRecovery, performance.now() - start)
    }
    ending.abort()
    await Promise.all(writers)
    await node.stop()

    const once = (ids: readonly { readonly request_id: string }[]) =>
      ids.reduce(
        (counts, { request_id }) => counts.set(request_id, (counts.get(request_id) ?? 0) + 1),
        new Map<string, number>(),
      )
    const witnessed = once(await server.ask<{ request_id: string }>('select request_id from witnessed'))
    const recorded = once(
      await server.ask<{ request_id: string }>(
        `select request_id from decisions
          where kind = 'decision' and effect = 'allow' and action like 'link:%' and action <> 'link:read'`,
      ),
    )
    const stored = new Map(
      (await server.ask<{ code: string; target: string }>('select code, target from links')).map(({ code, target }) => [
        code,
        target,
      ]),
    )
    const verified = await runProgram(['audit', 'verify'], environment).ended
    return {
      kills: tally,
      acknowledged: acknowledged.length,
      unsure: unsure.size,
      slowestRecovery: Math.round(slowestRecovery),
      lost: [...acknowledged.filter((id) => witnessed.get(id) !== 1), ...refused],
      halfDone: [...new Set([...witnessed.keys(), ...recorded.keys()])].filter(
        (id) => witnessed.get(id) !== 1 || recorded.get(id) !== 1,
      ),
      wrong: [...expected].filter(([code, target]) => (stored.get(code) ?? null) !== target).map(([code]) => code),
      verdict: `${verified.code}: ${verified.stdout.trim()}${verified.stderr.trim()}`,
    }
  } finally {
    await node.stop('SIGKILL')
    await server.remove()
  }
}
