import { openBenchDatabase, type BenchDatabase } from './database.js'
import { load, type LoadSubject } from './load.js'
import { collectServers, startLinkgate, startSubject } from './server.js'
import { rateSuites } from './rates.js'
import type { Suite } from './report.js'

const LINKS = 100_000

const anyLink = () => `/bench-${1 + Math.floor(Math.random() * LINKS)}`
const BODY = JSON.stringify({ target: 'https://example.com/changed' })

type Named = Pick<LoadSubject, 'name' | 'server'>

/** An owner changes one of their links: who calls, the link, the change and its record. */
const change = (named: Named, { editor }: BenchDatabase): LoadSubject => ({
  ...named,
  status: 200,
  headers: { authorization: editor.authorization, 'content-type': 'application/json' },
  request: () => ({ method: 'PATCH', path: `/links${anyLink()}`, body: BODY }),
})

/** An editor makes a link: who calls, the link and its record. */
const creation = (named: Named, { editor }: BenchDatabase): LoadSubject => ({
  ...named,
  status: 201,
  headers: { authorization: editor.authorization, 'content-type': 'application/json' },
  request: () => ({ method: 'POST', path: '/links', body: BODY }),
})

const OPTIONS = { rounds: 7, seconds: 2, connections: 16 }
const BY_HAND = 'bare Koa, the same work by hand'

/** Redirects, reads, creations and changes through the whole service, beside servers that do the same work by hand. */
export const httpSuites = async (): Promise<readonly Suite[]> => {
  const database = await openBenchDatabase()
  const unlogged = await openBenchDatabase()
  const { started, stopAll } = collectServers()
  try {
    await database.addLinks(1, LINKS)
    await unlogged.addLinks(1, LINKS)
    await unlogged.client.query('drop trigger link_decision on links')
    const bare = (environment: Readonly<Record<string, string>>) =>
      started(startSubject('bare-koa', { JWT_SIGNING_KEY_FILE: database.signingKeyFile, ...environment }))
    const node = await started(startSubject('bare-node'))
    const koa = await bare({ DATABASE_URL: database.ownerUrl })
    const parts = await started(startSubject('koa-with-parts'))
    const floor = await started(startSubject('node-with-parts'))
    const linkgate = await started(startLinkgate(database.environment()))
    const uncached = await started(startLinkgate({ ...database.environment(), REDIRECT_CACHE_SIZE: '0' }))
    const unlimited = await started(startLinkgate({ ...database.environment(), RATE_LIMIT_ANONYMOUS: 'off' }))

    const redirect = { status: 302, request: () => ({ path: '/bench-1' }) }
    const cached = await load(
      [
        { ...redirect, name: 'bare node:http, 302', server: node },
        { ...redirect, name: 'bare Koa and router, 302', server: koa, request: () => ({ path: '/fixed/bench-1' }) },
        { ...redirect, name: 'node:http with the same parts, 302', server: floor },
        { ...redirect, name: 'Koa with the same parts, 302', server: parts },
        { ...redirect, name: 'Linkgate, remembered', server: linkgate },
        { ...redirect, name: 'the same without quotas', server: unlimited },
      ],
      OPTIONS,
    )
    await parts.stop()
    await floor.stop()
    await unlimited.stop()
    const withDatabase = { ...OPTIONS, database }
    const firstTouch = { status: 302, request: () => ({ path: anyLink() }) }
    const touched = await load(
      [
        { ...firstTouch, name: 'bare Koa, one prepared select', server: koa },
        { ...firstTouch, name: 'Linkgate, nothing remembered', server: uncached },
      ],
      withDatabase,
    )
    // every listener hears of every change: from here on only what is measured runs
    await uncached.stop()
    const read = { status: 200, request: () => ({ path: `/links${anyLink()}` }) }
    const shown = await load(
      [
        { ...read, name: 'bare Koa and router, a fixed answer', server: koa, request: () => ({ path: '/fixed-link' }) },
        { ...read, name: 'bare Koa and router, one prepared select', server: koa },
        { ...read, name: 'Linkgate, a public GET', server: linkgate },
      ],
      withDatabase,
    )
    const byHand = change({ name: BY_HAND, server: koa }, database)
    const ours = change({ name: "Linkgate, owner's PATCH", server: linkgate }, database)
    const changed = await load([byHand, ours], withDatabase)
    const many = await load([byHand, ours], { ...withDatabase, connections: 64 })
    const made = await load(
      [
        creation({ name: BY_HAND, server: koa }, database),
        creation({ name: "Linkgate, editor's POST", server: linkgate }, database),
      ],
      withDatabase,
    )

    const quiet = await started(startLinkgate(unlogged.environment()))
    const recorded = await load(
      [
        change({ name: 'without the decision record', server: quiet }, unlogged),
        change({ name: 'with it', server: linkgate }, database),
      ],
      OPTIONS,
    )

    await linkgate.stop()
    await quiet.stop()
    const delay = await started(startSubject('delay', { TARGET: database.socket, DELAY_MS: '1' }))
    const wire = database.through(Number(new URL(delay.url).port))
    const farKoa = await bare({ DATABASE_URL: wire.ownerUrl })
    const farLinkgate = await started(startLinkgate({ ...database.environment(), ...wire.environment }))
    const far = await load(
      [
        { ...byHand, server: farKoa },
        { ...ours, server: farLinkgate },
      ],
      withDatabase,
    )
    return [
      ...rateSuites('Redirect, remembered', 'bare node:http, 302', cached),
      ...rateSuites('Redirect, first touch', 'bare Koa, one prepared select', touched),
      ...rateSuites('A public link', 'bare Koa and router, one prepared select', shown),
      ...rateSuites('Change of a link', BY_HAND, changed),
      ...rateSuites('Change of a link, 64 callers at once', BY_HAND, many),
      ...rateSuites('Creation of a link', BY_HAND, made),
      ...rateSuites('Change of a link, 1 ms each way to the database', BY_HAND, far),
      ...rateSuites('The price of the decision record', 'without the decision record', recorded),
    ]
  } finally {
    await stopAll()
    await database.close()
    await unlogged.close()
  }
}
