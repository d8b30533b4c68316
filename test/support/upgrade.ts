import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { verifyLog } from '../../src/audit/verify-log.js'
import { migrate } from '../../src/database/migrate.js'
import { openPool } from '../../src/database/pool.js'
import { ACTIONS } from '../../src/domain/action.js'
import { createAccounts } from '../../src/identity/accounts.js'
import { openIssuer } from '../../src/identity/identity.js'
import { loadSigningKey } from '../../src/identity/signing-key.js'
import { withPool } from './bare-database.js'
import { cluster, createDatabase } from './cluster.js'
import { openConnection } from './connection.js'
import { onDatabase, startNode } from './node.js'
import type { ServiceNode } from './node.js'
import type { PreviousVersion } from './previous-version.js'
import { runProgram } from './program.js'
import { freshCode } from './records.js'
import { makeTemporaryFolder } from './temporary-folder.js'
import { load } from './workers.js'

export interface UpgradeReport {
  /** requests that were answered, and what went wrong with others, by what the versions were that served at the time */
  readonly phases: Readonly<
    Record<
      'old alone' | 'migrating' | 'side by side' | 'rolled back',
      { readonly done: number; readonly failed: readonly string[] }
    >
  >
  readonly migrated: string
  readonly migrationMs: number
  /** changes that were acknowledged, and those of them that the log has an allow record of */
  readonly acknowledged: number
  readonly recorded: number
  readonly entries: number
  readonly chainFaults: number
}

export interface UpgradeOptions {
  readonly previous: PreviousVersion
  /** how long each state of the upgrade is kept under load, and how many requests it answers at least */
  readonly milliseconds: number
  readonly requests: number
  /** of the previous version, before the upgrade */
  readonly nodes: number
  /** entries of the log that the old version left */
  readonly oldEntries: number
}

/**
 * An upgrade as docs/operations.md writes it, under load all the time: the previous version serves, this one's
 * `linkgate migrate` runs beside it, both versions serve, and then the upgrade is taken back by starting the previous
 * version on the new schema.
 */
export const upgrade = async ({
  previous,
  nodes,
  milliseconds,
  requests,
  oldEntries,
}: UpgradeOptions): Promise<UpgradeReport> => {
  const { service } = await cluster()
  const { owner } = await createDatabase()
  await migrate({ owner, service, folder: previous.migrations })
  const login = { ...owner, user: service.user, password: service.password }
  const environment = {
    ...onDatabase(login, owner),
    JWT_SIGNING_KEY_FILE: join(await makeTemporaryFolder(), 'key.pem'),
  }
  const asOwner = withPool(owner)
  await asOwner(
    `insert into decisions (time, request_id, revision, layer, subject_id, subject_role, action, resource_type, resource_code, relation, effect, rule, status)
     select now() - make_interval(secs => $1 - n), 'old-' || n, 1, 'object', n, 'editor', 'link:update', 'link', 'code-' || n, 'own', 'allow', 'R5', 200 from generate_series(1, $1::int) n`,
    [oldEntries],
  )

  const start = (version: PreviousVersion | null) =>
    version === null ? startNode(environment) : startNode(environment, version.program)
  const running = new Set<ServiceNode>(await Promise.all(Array.from({ length: nodes }, () => start(previous))))
  const pool = openPool({ connection: login, size: 1, deadlineMs: 60_000 })
  try {
    const accounts = createAccounts(pool)
    const issuer = await openIssuer({ signingKeyFile: environment.JWT_SIGNING_KEY_FILE, audience: undefined })
    const tokenOf = async (role: string) => {
      const { id } = await accounts.add({ email: `upgrade-${role}@example.com`, role, name: '', passwordHash: null })
      return (await issuer.sign({ subject: id, scope: ACTIONS.join(' '), ttlSeconds: 3_600 })).token
    }
    const tokens = { admin: await tokenOf('admin'), editor: await tokenOf('editor') }
    let acknowledged = 0

    /** Every kind of request, on its own connection to each of the nodes; none may fail. */
    const requestsTo = ({ baseUrl }: ServiceNode) => {
      const call = () => {
        const connection = openConnection(baseUrl)
        return async (
          method: string,
          path: string,
          json?: unknown,
          headers?: Readonly<Record<string, string>>,
          token = tokens.editor,
        ) => {
          const answer = await connection.request(method, path, {
            headers: { Authorization: `Bearer ${token}`, ...headers },
            json,
          })
          if (method !== 'GET' && answer.status < 300) acknowledged += 1
          return answer
        }
      }
      const [creating, changing, reading, looking, naming] = [call(), call(), call(), call(), call()]
      let own = ''
      let last = ''
      let turn = 0
      return [
        async () => {
          const code = freshCode('up')
          const made = await creating('POST', '/links', { code, target: 'https://example.com/' })
          last = code
          return made
        },
        async () => {
          turn += 1
          if (own === '' || turn % 10 === 0) {
            const gone = own
            own = freshCode('own')
            return gone === ''
              ? changing('POST', '/links', { code: own, target: 'https://example.com/' })
              : changing('DELETE', `/links/${gone}`).finally(() => {
                  own = ''
                })
          }
          return changing('PATCH', `/links/${own}`, { target: `https://example.com/${turn}` })
        },
        () => reading('GET', last === '' ? '/links' : `/${last}`),
        () => looking('GET', '/audit/decisions?limit=5', undefined, {}, tokens.admin),
        () => naming('PATCH', '/users/me', { name: `Name ${turn}` }),
      ]
    }
    const phase = async (serving: readonly ServiceNode[], work: () => Promise<unknown> = async () => {}) => {
      const loading = load(serving.flatMap(requestsTo), (status) => status < 400)
      await work()
      await delay(milliseconds)
      while (loading.ended() < requests) await delay(5)
      return loading.stop()
    }

    const old = [...running]
    const alone = await phase(old)
    let migrated = ''
    let migrationMs = 0
    const migrating = await phase(old, async () => {
      const began = performance.now()
      const { code, stdout, stderr } = await runProgram(['migrate'], environment).ended
      migrationMs = performance.now() - began
      if (code !== 0) throw new Error(stderr)
      migrated = stdout
    })
    const next = await start(null)
    running.add(next)
    const sideBySide = await phase([...old, next])
    for (const node of old) {
      await node.stop()
      running.delete(node)
    }
    const back = await start(previous)
    running.add(back)
    const rolledBack = await phase([back])

    for (const node of running) await node.stop()
    running.clear()
    const [counted] = await asOwner<{ recorded: string }>(
      `select count(*) as recorded from decisions where kind = 'decision' and effect = 'allow' and action not like '%:read' and request_id not like 'old-%'`,
    )
    let chainFaults = 0
    const { kid, publicKey } = await loadSigningKey(environment.JWT_SIGNING_KEY_FILE)
    const { entries } = await verifyLog(pool, {
      keys: new Map([[kid, publicKey]]),
      onFault: () => {
        chainFaults += 1
      },
    })
    return {
      phases: { 'old alone': alone, migrating, 'side by side': sideBySide, 'rolled back': rolledBack },
      migrated,
      migrationMs,
      acknowledged,
      recorded: Number(counted?.recorded),
      entries,
      chainFaults,
    }
  } finally {
    for (const node of running) await node.stop('SIGKILL')
    await pool.close()
  }
}
