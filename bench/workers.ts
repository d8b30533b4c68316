import { setTimeout as pause } from 'node:timers/promises'

import { openBenchDatabase } from './database.js'
import { load, type LoadSubject } from './load.js'
import { measured, rateSuites } from './rates.js'
import type { Suite } from './report.js'
import { collectServers, startLinkgate } from './server.js'

const LINKS = 100_000
const WORKERS = 2
const OPTIONS = { rounds: 5, seconds: 2, connections: 32 }

const ONE = 'WORKERS=1'
const SEVERAL = `WORKERS=${WORKERS}`

/** A count that is the same twice: the server of a connection that was closed ends a moment after it. */
const settled = async (count: () => Promise<number>): Promise<number> => {
  for (let before = await count(); ;) {
    await pause(100)
    const now = await count()
    if (now === before) return now
    before = now
  }
}

/**
 * What one more worker brings and takes. On a machine of two cores the load generator has one of them and the database
 * its share, so rates say little of more cores; processor time a request, memory and connections do.
 */
export const workerSuites = async (): Promise<readonly Suite[]> => {
  const database = await openBenchDatabase()
  const { started, stopAll } = collectServers()
  const start = (environment: Readonly<Record<string, string>> = {}) =>
    started(startLinkgate({ ...database.environment(), ...environment }))
  const connections = async () => {
    const {
      rows: [counted],
    } = await database.client.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    return counted?.count ?? Number.NaN
  }
  try {
    await database.addLinks(1, LINKS)
    const one = await start()
    const several = await start({ WORKERS: String(WORKERS) })
    const both = (subject: Omit<LoadSubject, 'name' | 'server'>): readonly LoadSubject[] => [
      { ...subject, name: ONE, server: one },
      { ...subject, name: SEVERAL, server: several },
    ]
    const anyLink = () => `/links/bench-${1 + Math.floor(Math.random() * LINKS)}`

    const followed = await load(both({ status: 302, request: () => ({ path: '/bench-1' }) }), OPTIONS)
    const changed = await load(
      both({
        status: 200,
        headers: { authorization: database.editor.authorization, 'content-type': 'application/json' },
        request: () => ({ method: 'PATCH', path: anyLink(), body: '{"target":"https://example.com/changed"}' }),
      }),
      OPTIONS,
    )

    const [alone, primary, workers] = [(await one.memory()).now, (await several.memory()).now, await several.workers()]
    const all = await connections()
    await several.stop()
    const ofOne = await settled(connections)
    return [
      ...rateSuites('Workers, a remembered redirect', ONE, followed),
      ...rateSuites('Workers, a change of a link', ONE, changed),
      {
        title: 'Workers: memory of a process after that load',
        baseline: ONE,
        unit: 'MiB',
        measured: [
          measured(ONE, [alone]),
          measured(`${SEVERAL}, the primary`, [primary]),
          measured(`${SEVERAL}, each worker`, workers),
        ],
      },
      {
        title: 'Workers: connections to the database after that load',
        baseline: ONE,
        unit: 'connections',
        measured: [measured(ONE, [ofOne]), measured(SEVERAL, [all - ofOne])],
      },
    ]
  } finally {
    await stopAll()
    await database.close()
  }
}
