import { openBenchDatabase } from './database.js'
import type { BenchDatabase } from './database.js'
import { load } from './load.js'
import type { LoadSubject } from './load.js'
import { startLinkgate, startSubject } from './server.js'
import type { BenchServer } from './server.js'
import { rateSuites } from './rates.js'
import type { Suite } from './report.js'

const LINKS = 100_000

const anyLink = () => `/bench-${1 + Math.floor(Math.random() * LINKS)}`
const JSON_BODY = { 'content-type': 'application/json' } as const
const PATCH_BODY = JSON.stringify({ target: 'https://example.com/changed' })

/** What one owner's change of a link costs, with everything that is decided, checked and recorded on the way. */
const change = (name: string, server: BenchServer, { editor }: BenchDatabase): LoadSubject => ({
  name,
  server,
  status: 200,
  headers: { authorization: editor.authorization, ...JSON_BODY },
  request: () => ({ method: 'PATCH', path: `/links${anyLink()}`, body: PATCH_BODY }),
})

const OPTIONS = { rounds: 7, seconds: 2, connections: 16 }

/** Redirects and changes through the whole service, side by side with servers that do nothing else. */
export const httpSuites = async (): Promise<readonly Suite[]> => {
  const database = await openBenchDatabase()
  const unlogged = await openBenchDatabase()
  const servers: BenchServer[] = []
  const started = async (server: Promise<BenchServer>) => {
    servers.push(await server)
    return server
  }
  try {
    await database.addLinks(1, LINKS)
    await unlogged.addLinks(1, LINKS)
    await unlogged.client.query('drop trigger link_decision on links')
    const node = await started(startSubject('bare-node'))
    const koa = await started(startSubject('bare-koa', { DATABASE_URL: database.ownerUrl }))
    const linkgate = await started(startLinkgate(database.environment()))
    const forgetful = await started(startLinkgate({ ...database.environment(), REDIRECT_CACHE_SIZE: '0' }))

    const cached = await load(
      [
        { name: 'bare node:http, 302', server: node, status: 302, request: () => ({ path: '/bench-1' }) },
        { name: 'bare Koa and router, 302', server: koa, status: 302, request: () => ({ path: '/fixed/bench-1' }) },
        { name: 'Linkgate, remembered', server: linkgate, status: 302, request: () => ({ path: '/bench-1' }) },
      ],
      OPTIONS,
    )
    const uncached = await load(
      [
        { name: 'bare Koa, one prepared select', server: koa, status: 302, request: () => ({ path: anyLink() }) },
        { name: 'Linkgate, nothing remembered', server: forgetful, status: 302, request: () => ({ path: anyLink() }) },
      ],
      OPTIONS,
    )
    // whoever listens hears of every change: from here on those alone that are measured
    await forgetful.stop()
    const update: LoadSubject = { ...change('bare Koa, one UPDATE', koa, database), headers: JSON_BODY }
    const changed = await load([update, change("Linkgate, owner's PATCH", linkgate, database)], OPTIONS)
    const many = await load([update, change("Linkgate, owner's PATCH", linkgate, database)], {
      ...OPTIONS,
      connections: 64,
    })

    const quiet = await started(startLinkgate(unlogged.environment()))
    const logged = await load(
      [change('without the decision record', quiet, unlogged), change('with it', linkgate, database)],
      OPTIONS,
    )

    await linkgate.stop()
    await quiet.stop()
    const delay = await started(startSubject('delay', { TARGET: database.socket, DELAY_MS: '1' }))
    const wire = database.through(Number(new URL(delay.url).port))
    const farKoa = await started(startSubject('bare-koa', { DATABASE_URL: wire.ownerUrl }))
    const farLinkgate = await started(startLinkgate({ ...database.environment(), ...wire.environment }))
    const far = await load(
      [{ ...update, server: farKoa }, change("Linkgate, owner's PATCH", farLinkgate, database)],
      OPTIONS,
    )
    return [
      ...rateSuites('Redirect, remembered', 'bare node:http, 302', cached),
      ...rateSuites('Redirect, first touch', 'bare Koa, one prepared select', uncached),
      ...rateSuites('Change of a link', 'bare Koa, one UPDATE', changed),
      ...rateSuites('Change of a link, 64 callers at once', 'bare Koa, one UPDATE', many),
      ...rateSuites('Change of a link, 1 ms each way to the database', 'bare Koa, one UPDATE', far),
      ...rateSuites('The price of the decision record', 'without the decision record', logged),
    ]
  } finally {
    for (const server of servers.toReversed()) await server.stop()
    await database.close()
    await unlogged.close()
  }
}
