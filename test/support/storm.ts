import { join } from 'node:path'

import { Client } from 'pg'

import { addUser } from './add-user.js'
import { startBalancer } from './balancer.js'
import { openMigratedServer } from './migrated-server.js'
import { onDatabase, startNode, type ServiceNode } from './node.js'
import { madeSigningKey } from './signing-key.js'
import { makeTemporaryFolder } from './temporary-folder.js'

export interface StormReport {
  /** changes of links that were acknowledged with 200 */
  readonly acknowledged: number
  /** attempts that the policy denied */
  readonly denied: number
  /** answers that a storm has no place for, by status */
  readonly odd: Readonly<Record<string, number>>
  readonly edits: number
  /** committed changes, by their decision records */
  readonly committed: number
  /** records whose revision denied the change */
  readonly underDenial: number
  /** changes that committed after the revision that they were decided under had been replaced */
  readonly tooLate: number
  /** processes that answered a writer */
  readonly processes: number
}

export interface StormOptions {
  /** how long it lasts at least, and how many changes it acknowledges at least */
  readonly milliseconds: number
  readonly changes?: number
  readonly writers: number
  /** processes of each of the two nodes; with more than one, all requests go through a balancer */
  readonly workers?: number
  /** SQL run as the owner before the storm, to break what the storm is there to watch */
  readonly sabotage?: string
}

/** Denies editors every update while it stands: the row that the storm flips. */
const DENY = {
  ptype: 'p',
  priority: 505,
  rule: 'STORM',
  role: 'editor',
  action: 'link:update',
  reach: 'any',
  effect: 'deny',
}

/**
 * Edits as fast as they commit, flipping an editor's right to update, against writers on two nodes. What happened is
 * read from the database alone: its own commit times say what was in force when a change committed.
 */
export const storm = async ({
  milliseconds,
  changes = 0,
  writers,
  workers = 1,
  sabotage,
}: StormOptions): Promise<StormReport> => {
  const folder = await makeTemporaryFolder()
  const postgres = await openMigratedServer({
    dataDir: join(folder, 'data'),
    settings: { track_commit_timestamp: 'on', fsync: 'off' },
  })
  const client = new Client(postgres.owner)
  try {
    await client.connect()
    const service = { ...postgres.owner, user: postgres.service.user, password: postgres.service.password }
    const environment = {
      ...onDatabase(service, postgres.owner),
      JWT_SIGNING_KEY_FILE: await madeSigningKey(join(folder, 'key.pem')),
      LOG_LEVEL: 'info',
      WORKERS: String(workers),
    }
    const nodes = [await startNode(environment), await startNode(environment)]
    const balancer = workers > 1 ? await startBalancer(nodes.map(({ baseUrl }) => baseUrl)) : undefined
    try {
      if (sabotage !== undefined) await client.query(sabotage)
      const account = { connection: service, signingKeyFile: environment.JWT_SIGNING_KEY_FILE }
      const tokenOf = async (role: string) => `Bearer ${(await addUser(account, role)).token}`
      const tokens = { admin: await tokenOf('admin'), editor: await tokenOf('editor') }
      const urls = balancer === undefined ? nodes.map(({ baseUrl }) => baseUrl) : [balancer.url]
      const tally = { acknowledged: 0, denied: 0, edits: 0, odd: new Map<number, number>() }
      const odd = (status: number) => tally.odd.set(status, (tally.odd.get(status) ?? 0) + 1)

      const headers = { Authorization: tokens.editor, 'Content-Type': 'application/json' }
      const links = Array.from({ length: writers }, (_, index) => `${urls[index % urls.length]}/links/storm-${index}`)
      for (const link of links) {
        const body = JSON.stringify({ target: 'https://example.com/', code: link.slice(link.lastIndexOf('/') + 1) })
        const made = await drain(fetch(`${urls[0]}/links`, { method: 'POST', headers, body }))
        if (made.status !== 201) throw new Error(`a writer's link was not made: ${made.status}`)
      }
      let end = 0
      // a storm in which too little is acknowledged ends too: the report says so
      const isOn = () => Date.now() < end || (tally.acknowledged < changes && Date.now() < end + 9 * milliseconds)
      const write = async (link: string) => {
        for (let i = 0; isOn(); i += 1) {
          const { status } = await drain(
            fetch(link, { method: 'PATCH', headers, body: JSON.stringify({ target: `https://example.com/${i}` }) }),
          )
          if (status === 200) tally.acknowledged += 1
          else if (status === 403) tally.denied += 1
          else odd(status)
        }
      }
      const edit = async () => {
        const headers = { Authorization: tokens.admin, 'Content-Type': 'application/json' }
        let revision = 1
        let standing = false
        while (isOn()) {
          const change = standing ? { add: [], remove: [DENY] } : { add: [DENY], remove: [] }
          const { status } = await drain(
            fetch(`${urls[0]}/policy/changes`, {
              method: 'POST',
              headers: { ...headers, 'If-Match': `"${revision}"` },
              body: JSON.stringify({ ...change, reason: 'storm' }),
            }),
          )
          if (status !== 200) throw new Error(`an edit of the storm was refused: ${status}`)
          revision += 1
          standing = !standing
          tally.edits += 1
        }
      }
      end = Date.now() + milliseconds
      await Promise.all([edit(), ...links.map(write)])
      return {
        acknowledged: tally.acknowledged,
        denied: tally.denied,
        edits: tally.edits,
        odd: Object.fromEntries(tally.odd),
        ...(await judge(client)),
        processes: answering(nodes),
      }
    } finally {
      await balancer?.close()
      for (const node of nodes) await node.stop()
    }
  } finally {
    await client.end()
    await postgres.leave()
  }
}

/** How many processes changed a link, by the requests in the log of each. */
const answering = (nodes: readonly ServiceNode[]): number =>
  new Set(
    nodes.flatMap((node) => [...node.output().matchAll(/"pid":(\d+)[^\n]*"method":"PATCH"/g)].map(([, pid]) => pid)),
  ).size

const drain = async (pending: Promise<Response>): Promise<Response> => {
  const response = await pending
  await response.arrayBuffer()
  return response
}

/**
 * Revision 1 has no STORM row, and every later one flips it. The commit of a record is compared with that of the next
 * revision.
 */
const judge = async (client: Client): Promise<Pick<StormReport, 'committed' | 'underDenial' | 'tooLate'>> => {
  const {
    rows: [verdict],
  } = await client.query<Record<'committed' | 'denied' | 'late', string>>(`
    select count(*) as committed,
           count(*) filter (where d.revision % 2 = 0) as denied,
           count(*) filter (where pg_xact_commit_timestamp(d.xmin) > pg_xact_commit_timestamp(n.xmin)) as late
      from decisions d left join policy_revisions n on n.revision = d.revision + 1
     where d.action = 'link:update' and d.effect = 'allow'`)
  if (!verdict) throw new Error('a count answered no row')
  return { committed: Number(verdict.committed), underDenial: Number(verdict.denied), tooLate: Number(verdict.late) }
}

/**
 * enter_change without its lock, and with a pause where the lock would have held: the fault that the storm is there to
 * find.
 */
export const WITHOUT_THE_LOCK = `
  create or replace function enter_change(
      entered_role text, user_id bigint, decided_under bigint, decision text, caller jsonb, losing bigint)
    returns void language plpgsql volatile as $$
  declare
    in_force bigint;
  begin
    select revision into in_force from public.policy_head;
    if in_force is distinct from decided_under then
      raise exception using errcode = 'LG001', message = 'replaced';
    end if;
    perform pg_sleep(0.02);
    perform set_config('app.decision', decision, true);
    perform enter(entered_role, user_id);
  end $$`
