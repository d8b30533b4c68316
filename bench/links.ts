import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { openBenchDatabase, type BenchDatabase } from './database.js'
import { load } from './load.js'
import { measure } from './measure.js'
import { measured, rateSuites } from './rates.js'
import type { Suite } from './report.js'
import { collectServers, startLinkgate, startSubject } from './server.js'

/** Runs in a process of its own, so that it does not delay the process that measures. */
const BULK_CALLER = fileURLToPath(new URL('bulk-caller.ts', import.meta.url))
const LINKS = 10_000
const ITEMS = 1_000
/** Requests of somebody else, one after another, whose slowest hundredth is looked at. */
const REQUESTS = 400

const slowestOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0

/** Links whose redirects are remembered: `plain` and `other`, and `full` with all that such a link may have. */
const addRemembered = async ({ client, editor }: BenchDatabase): Promise<void> => {
  const full = {
    title: 'A title of a link',
    note: 'What its owner wants to remember of it. '.repeat(50),
    tags: Array.from({ length: 20 }, (_, i) => `tag number ${i}`),
    status: 307,
    starts_at: '2020-01-01T00:00:00Z',
    expires_at: '2999-01-01T00:00:00Z',
    forward_query: false,
  }
  await client.query(
    `insert into links (code, target, owner_id, title, note, tags, status, starts_at, expires_at, forward_query)
     select code, 'https://example.com/remembered', $1, title, note, coalesce(tags, '{}'), coalesce(status, 302),
         starts_at, expires_at, coalesce(forward_query, false)
       from jsonb_populate_recordset(null::links, $2)`,
    [editor.id, JSON.stringify([{ code: 'plain' }, { code: 'other' }, { code: 'full', ...full }])],
  )
}

/** What links cost that can do more: a counted redirect, a full record, and a thousand links in one request. */
export const linkSuites = async (): Promise<readonly Suite[]> => {
  const database = await openBenchDatabase()
  const { started, stopAll } = collectServers()
  try {
    await database.addLinks(1, LINKS)
    await database.client.query('set session_replication_role = replica')
    for (const table of ['links', 'bare_links'])
      await database.client.query(`update ${table} set max_visits = 1000000000`)
    await addRemembered(database)
    await database.client.query('set session_replication_role = origin')
    await database.client.query('vacuum analyze links, bare_links')
    const koa = await started(
      startSubject('bare-koa', { JWT_SIGNING_KEY_FILE: database.signingKeyFile, DATABASE_URL: database.ownerUrl }),
    )
    const linkgate = await started(
      startLinkgate({ ...database.environment(), RATE_LIMIT_ANONYMOUS: 'off', RATE_LIMIT_USER: 'off' }),
    )
    const anyLink = () => `bench-${1 + Math.floor(Math.random() * LINKS)}`
    const counted = await load(
      [
        {
          name: 'bare Koa and router, one UPDATE',
          server: koa,
          status: 302,
          request: () => ({ path: `/counted/${anyLink()}` }),
        },
        { name: 'Linkgate, max_visits', server: linkgate, status: 302, request: () => ({ path: `/${anyLink()}` }) },
      ],
      { rounds: 7, seconds: 2, connections: 16, database },
    )

    const remembered = await load(
      [
        { name: 'a plain link', server: linkgate, status: 302, request: () => ({ path: '/plain' }) },
        { name: 'a link with everything', server: linkgate, status: 307, request: () => ({ path: '/full' }) },
        { name: 'another plain link', server: linkgate, status: 302, request: () => ({ path: '/other' }) },
      ],
      // a difference of a few percent shows only in many short turns: the machine's speed changes more than that
      { rounds: 100, seconds: 0.5, connections: 16 },
    )

    const headers = { authorization: database.editor.authorization, 'content-type': 'application/json' }
    const post = async (path: string, body: unknown, status: number) => {
      const answer = await fetch(`${linkgate.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      await answer.arrayBuffer()
      if (answer.status !== status) throw new Error(`${path}: ${answer.status}`)
    }
    const item = { target: 'https://example.com/bulk', tags: ['bulk'] }
    const items = Array.from({ length: ITEMS }, () => item)
    const creations = { operation: 'create', items }
    const bulk = () => post('/links/bulk', creations, 200)
    const alone = {
      name: 'one request for each link',
      batch: 200,
      run: async () => {
        for (let i = 0; i < 200; i += 1) await post('/links', item, 201)
      },
    }
    const together = { name: '1,000 in a request', batch: ITEMS, run: bulk }
    const made = await measure([alone, together], { rounds: 7, warmups: 2 })

    const slowest = async () => {
      const times: number[] = []
      for (let i = 0; i < REQUESTS; i += 1) {
        const begun = performance.now()
        await post('/links', { target: 'https://example.com/else' }, 201)
        times.push((performance.now() - begun) * 1_000)
      }
      return slowestOf(times)
    }
    const [quiet, busy]: [number[], number[]] = [[], []]
    for (let round = 0; round < 7; round += 1) {
      quiet.push(await slowest())
      const asked = [linkgate.url, headers.authorization, JSON.stringify(creations)]
      const beside = fork(BULK_CALLER, asked, { execArgv: ['--import', 'tsx/esm'] })
      await once(beside, 'message')
      busy.push(await slowest())
      beside.kill()
      await once(beside, 'exit')
      // meanwhile the service finishes the request that was cut off
      await bulk()
    }
    return [
      ...rateSuites('Redirect of a link with a maximum of visits', 'bare Koa and router, one UPDATE', counted),
      ...rateSuites('Redirect, remembered, by what is in the record', 'a plain link', remembered),
      { title: 'Creation in bulk, a link', baseline: 'one request for each link', unit: 'µs', measured: made },
      {
        title: "Somebody else's slowest creations (p99)",
        baseline: 'with nothing beside them',
        unit: 'µs',
        measured: [
          measured(
            'with nothing beside them',
            quiet.map((each) => each * 1_000),
          ),
          measured(
            'beside bulk requests',
            busy.map((each) => each * 1_000),
          ),
        ],
      },
    ]
  } finally {
    await stopAll()
    await database.close()
  }
}
