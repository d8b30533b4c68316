import { verifyLog } from '../../src/audit/verify-log.js'
import { openPool } from '../../src/database/pool.js'
import { loadSigningKey } from '../../src/identity/signing-key.js'
import { addUser } from './add-user.js'
import { ask } from './ask.js'
import { testDatabase } from './database.js'
import { onDatabase, startNode } from './node.js'
import { random } from './random.js'
import { madeSigningKey } from './signing-key.js'

export interface LogTruth {
  /** requests that got an answer */
  readonly answered: number
  /** requests whose answer never came: the process was killed under them */
  readonly cutOff: number
  /** rows of links and users that were made, changed or deleted, as a witness in the database saw them commit */
  readonly changes: number
  readonly refusals: number
  /** committed changes without exactly one allow record, by request id */
  readonly unrecorded: readonly string[]
  /** allow records of changes that nobody saw commit */
  readonly unfounded: readonly string[]
  /** answered changes that are not in the database */
  readonly lost: readonly string[]
  /** answered refusals without a record: how many milliseconds before the kill they were answered */
  readonly forgotten: readonly number[]
  readonly chainFaults: number
}

/** Notes every committed change together with the request that made it, beside everything that is being tested. */
export const WITNESS = `
  create table witnessed (request_id text not null, operation text not null, kind text not null, record text not null);
  create function witness() returns trigger language plpgsql security definer as $$ begin
    insert into public.witnessed values (
      current_setting('app.decision')::jsonb ->> 'request_id', lower(tg_op), tg_argv[0],
      (to_jsonb(case when tg_op = 'DELETE' then old else new end)) ->> tg_argv[1]);
    return null;
  end $$;
  create trigger witness after insert or update or delete on links
    for each row execute function witness('link', 'code');
  create trigger witness after update on users
    for each row when (current_setting('role') in ('users_own', 'users_any')) execute function witness('user', 'id')`

interface Sent {
  readonly id: string
  readonly method: string
  readonly status: number
  readonly at: number
}

/**
 * So many random requests of admins, editors, viewers and strangers, some allowed and some not, through one node that
 * is killed (`kill -9`) in the middle and started again; then the log held against what a witness saw commit.
 */
export const logTruth = async (requests: number, seed = 5): Promise<LogTruth> => {
  const { integer, pick } = random(seed)
  const db = await testDatabase()
  const environment = {
    ...onDatabase(db.service, db.owner),
    JWT_SIGNING_KEY_FILE: await madeSigningKey(),
    LOG_LEVEL: 'info',
  }
  await db.asOwner(WITNESS)
  const pool = openPool({ connection: db.service, size: 2, deadlineMs: 20_000 })
  let node = await startNode(environment)
  try {
    const service = { connection: db.service, signingKeyFile: environment.JWT_SIGNING_KEY_FILE }
    const users = await Promise.all(['admin', 'editor', 'editor', 'viewer'].map((role) => addUser(service, role)))
    const { token: weak } = await addUser(service, 'admin', 'link:read')
    const callers: readonly [string | null, ...(string | null)[]] = [
      null,
      'not a token',
      weak,
      ...users.flatMap(({ token }) => [token, token, token]),
    ]
    const codes = Array.from({ length: 40 }, (_, i) => `truth-${i}`)
    const code = (): string => codes[integer(0, codes.length - 1)] ?? ''

    const one = (): { readonly method: string; readonly path: string; readonly json?: unknown } => {
      switch (integer(0, 9)) {
        case 0:
        case 1:
          return { method: 'POST', path: '/links', json: { target: 'https://example.com/', code: code() } }
        case 2:
        case 3:
        case 4:
          return {
            method: 'PATCH',
            path: `/links/${code()}`,
            json: { target: `https://example.com/${integer(1, 1_000)}` },
          }
        case 5:
          return { method: 'DELETE', path: `/links/${code()}` }
        case 6:
          return { method: 'PATCH', path: '/users/me', json: { name: `Name ${integer(1, 9)}` } }
        case 7:
          return { method: 'GET', path: '/policy' }
        case 8:
          return { method: 'GET', path: `/${code()}` }
        default:
          return { method: 'PATCH', path: `/users/${users[3]?.id}`, json: { role: pick(['viewer', 'editor']) } }
      }
    }
    const sent: Sent[] = []
    let cutOff = 0
    let number = 0
    let killedAt = 0
    let killed: typeof node | undefined
    let killing: Promise<void> | null = null
    const kill = async () => {
      killedAt = performance.now()
      killed = node
      await node.stop('SIGKILL')
      node = await startNode(environment)
    }
    const worker = async () => {
      while (number < requests) {
        const id = `truth-${(number += 1)}`
        if (number === Math.floor(requests / 2)) killing = kill()
        const { method, path, json } = one()
        const caller = pick(callers)
        const target = node
        try {
          const headers = { 'X-Request-ID': id }
          const { status } = await ask(target.baseUrl, method, path, { token: caller ?? undefined, json, headers })
          // a killed node had answered before, however late that is read
          const at = performance.now()
          sent.push({ id, method, status, at: target === killed ? Math.min(at, killedAt) : at })
        } catch {
          cutOff += 1
          await killing
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    await killing
    // stopping in order writes what is still waiting
    await node.stop()

    const witnessed = await db.asOwner<{ request_id: string }>('select request_id from witnessed')
    const allowed = await db.asOwner<{ request_id: string }>(
      `select request_id from decisions where kind = 'decision' and effect = 'allow' and action not like '%:read'`,
    )
    const denied = new Set(
      (
        await db.asOwner<{ request_id: string }>(
          `select request_id from decisions where kind = 'decision' and effect = 'deny'`,
        )
      ).map(({ request_id }) => request_id),
    )
    const tally = (rows: readonly { readonly request_id: string }[]) =>
      rows.reduce(
        (counts, { request_id }) => counts.set(request_id, (counts.get(request_id) ?? 0) + 1),
        new Map<string, number>(),
      )
    const [changed, recorded] = [tally(witnessed), tally(allowed)]
    const refusals = sent.filter(({ status }) => status === 401 || status === 403)
    const { kid, publicKey } = await loadSigningKey(environment.JWT_SIGNING_KEY_FILE)
    let chainFaults = 0
    await verifyLog(pool, {
      keys: new Map([[kid, publicKey]]),
      onFault: () => {
        chainFaults += 1
      },
    })
    return {
      answered: sent.length,
      cutOff,
      changes: witnessed.length,
      refusals: refusals.length,
      chainFaults,
      unrecorded: [...changed].filter(([id, count]) => recorded.get(id) !== count).map(([id]) => id),
      unfounded: [...recorded.keys()].filter((id) => !changed.has(id)),
      lost: sent
        .filter(({ id, method, status }) => method !== 'GET' && status < 300 && !changed.has(id))
        .map(({ id }) => id),
      forgotten: refusals.filter(({ id }) => !denied.has(id)).map(({ at }) => Math.round(killedAt - at)),
    }
  } finally {
    await node.stop('SIGKILL')
    await pool.close()
  }
}
