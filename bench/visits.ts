import { setInterval } from 'node:timers/promises'

import { until } from '../test/support/until.js'
import { addVisits, type SeenVisit } from '../test/support/visits.js'
import { openBenchDatabase, type BenchDatabase } from './database.js'
import { load, type LoadSubject } from './load.js'
import { measure } from './measure.js'
import { measured, rateSuites } from './rates.js'
import type { Suite } from './report.js'
import { collectServers, startLinkgate, startSubject, type BenchServer } from './server.js'

const LINKS = 1_000
const AGENTS = {
  browser:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  bot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
} as const
const REFERER = 'https://news.example/article?id=1'
const FULL_LOAD_S = 60

/** What visits cost: their redirects, the database, and the statistics of a year. */
export const visitSuites = async (): Promise<readonly Suite[]> => {
  const database = await openBenchDatabase()
  const { started, stopAll } = collectServers()
  try {
    await database.addLinks(1, LINKS)
    await database.client.query('create table bare_clicks (code text not null, at timestamptz not null default now())')
    const environment = () => ({ ...database.environment(), RATE_LIMIT_ANONYMOUS: 'off', RATE_LIMIT_USER: 'off' })
    const koa = await started(startSubject('bare-koa', { DATABASE_URL: database.ownerUrl }))
    const without = await started(startLinkgate({ ...environment(), VISITS: 'off' }))
    const linkgate = await started(startLinkgate(environment()))
    const byPopularity = () => Math.floor(LINKS ** Math.random())
    const equally = () => 1 + Math.floor(Math.random() * LINKS)
    const redirect = (
      name: string,
      server: BenchServer,
      headers: Readonly<Record<string, string>> = {},
      { path = '', link = byPopularity } = {},
    ): LoadSubject => ({
      name,
      server,
      status: 302,
      request: () => ({ path: `${path}/bench-${link()}` }),
      headers,
      ...(server === linkgate && { settled: () => untilCounted(server) }),
    })
    const browser = { 'user-agent': AGENTS.browser, referer: REFERER }
    // under load, visits are added to the totals every three seconds: a round has several times
    const options = { rounds: 10, seconds: 10, connections: 16, database }
    const redirects = await load(
      [
        redirect('visits off', without, browser),
        redirect('visits on, a browser', linkgate, browser),
        redirect('visits on, a bot', linkgate, { 'user-agent': AGENTS.bot }),
        redirect('visits on, no user agent', linkgate),
        redirect('visits on, a browser, all links equally often', linkgate, browser, { link: equally }),
      ],
      options,
    )
    const clicks = await load(
      [
        redirect('bare Koa and router, one INSERT', koa, browser, { path: '/clicked' }),
        redirect('Linkgate, visits on', linkgate, browser),
      ],
      { ...options, rounds: 3 },
    )
    return [
      ...rateSuites('Redirect, remembered, with visits', 'visits off', redirects),
      ...rateSuites('Redirect that counts its visit', 'bare Koa and router, one INSERT', clicks),
      ...(await fullLoad(database, linkgate, redirect('full load', linkgate, browser))),
      await storage(database),
      ...(await year(database, linkgate)),
    ]
  } finally {
    await stopAll()
    await database.close()
  }
}

const metricOf = async ({ url }: BenchServer, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

/** Resolves when no visit is waiting. */
const untilCounted = async (server: BenchServer): Promise<void> => {
  await until('all visits are counted', async () => (await metricOf(server, 'linkgate_visits_waiting')) === 0, {
    withinMs: 60_000,
    everyMs: 100,
  })
}

/** Polls ten times a second until the work is done. */
const meanwhile = async <T>(look: () => Promise<void>, work: Promise<T>): Promise<T> => {
  const looking = new AbortController()
  const ticks = setInterval(100, undefined, { signal: looking.signal })
  const done = work.finally(() => looking.abort())
  try {
    for await (const _ of ticks) await look()
  } catch (error) {
    if (!looking.signal.aborted) throw error
  }
  return done
}

/**
 * Under full load: how old the newest visit is that was written, and the newest one in the totals while somebody
 * follows a link live. Throws where one was not counted.
 */
const fullLoad = async (
  { client, editor }: BenchDatabase,
  server: BenchServer,
  subject: LoadSubject,
): Promise<readonly Suite[]> => {
  const count = async () => {
    const text = 'select coalesce(sum(visits + bots), 0)::int as visits from visit_counts'
    return (await client.query<{ visits: number }>(text)).rows[0]?.visits ?? 0
  }
  await untilCounted(server)
  const before = await count()
  const listening = new AbortController()
  await fetch(`${server.url}/links/bench-1/visits/live`, {
    headers: { authorization: editor.authorization },
    signal: listening.signal,
  })
  const ages: { readonly written: number; readonly counted: number }[] = []
  const look = async () => {
    const text = `select extract(epoch from clock_timestamp() - c.newest)::float8 as counted,
        extract(epoch from clock_timestamp() - greatest(c.newest, (
          select to_timestamp((b.added_at - (select min(age) from unnest(b.ages) age)) / 1000.0)
            from added_visits b order by b.id desc limit 1)))::float8 as written
      from (select max(last_at) as newest from visit_counts) c`
    const { rows } = await client.query<{ written: number; counted: number }>(text)
    ages.push(...rows)
  }
  // ends with the last answer, not when all visits are counted: until then the newest one would only grow older
  const answering = { ...subject, settled: async () => undefined }
  const loading = load([answering], { rounds: 1, seconds: FULL_LOAD_S, connections: 16, warmUp: 0 })
  await until('the first visits of the load are counted', async () => (await count()) > before)
  const [figures] = await meanwhile(look, loading)
  await untilCounted(server)
  listening.abort()
  const [dropped, counted] = [await metricOf(server, 'linkgate_visits_dropped_total'), (await count()) - before]
  const answered = Math.round((figures?.rate[0] ?? 0) * FULL_LOAD_S)
  if (dropped > 0 || Math.abs(counted - answered) > answered / 100)
    throw new Error(`${answered} redirects, ${counted} visits, ${dropped} dropped`)
  return [
    {
      title: `Full load for ${FULL_LOAD_S} s: age of the newest visit`,
      baseline: 'written',
      unit: 'ms',
      measured: [
        ...agesOf(
          'written',
          ages.map((age) => age.written),
        ),
        ...agesOf(
          'in the totals, while somebody follows a link',
          ages.map((age) => age.counted),
        ),
      ],
    },
    {
      title: `Full load for ${FULL_LOAD_S} s: visits`,
      baseline: 'counted',
      unit: '/s',
      measured: [measured('counted', [counted / FULL_LOAD_S])],
    },
  ]
}

const agesOf = (name: string, seconds: readonly number[]) => {
  const ages = seconds.map((age) => age * 1e9)
  return [measured(name, ages), measured(`${name}, at the worst`, [Math.max(...ages)])]
}

const MILLION = 1_000_000
const BATCH = 2_000
const WEEK_MS = 7 * 86_400_000

/** What a million visits of a thousand links take on the disk: of a busier link more visits share a row. */
const storage = async ({ client }: BenchDatabase): Promise<Suite> => {
  const TABLES = {
    'single visits':
      "select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'visits'::regclass",
    totals: `select pg_total_relation_size('visit_hours') + pg_total_relation_size('visit_values')
      + pg_total_relation_size('owner_visit_hours') + pg_total_relation_size('owner_visit_values')
      + pg_total_relation_size('visit_counts')`,
  } as const
  const names = ['visits', 'visit_hours', 'visit_values', 'owner_visit_hours', 'owner_visit_values', 'visit_counts']
  await client.query(`truncate ${names.join(', ')}`)
  // as a week brings them: popular links, hosts and countries first
  const {
    rows: [links],
  } = await client.query<{ first: number }>('select min(id)::int as first from links')
  const first = links?.first ?? 0
  const oneOf = (names: readonly string[], ofAsMany: number) => names[Math.floor(ofAsMany ** Math.random()) - 1] ?? null
  const letters = Array.from({ length: 26 }, (_, i) => `${String.fromCodePoint(65 + i)}X`)
  const visit = (n: number): SeenVisit => ({
    link: String(first + Math.floor(LINKS ** Math.random()) - 1),
    at: Date.now() - WEEK_MS * (1 - n / MILLION),
    referrer: `site-${Math.floor(200 ** Math.random())}.example`,
    country: oneOf(letters, 26),
    browser: oneOf(['Chrome', 'Safari', 'Firefox', 'Microsoft Edge'], 5),
    os: oneOf(['Windows', 'iOS', 'Android', 'macOS'], 5),
    device: oneOf(['desktop', 'mobile', 'tablet'], 4),
    bot: Math.random() < 0.1,
    single: true,
  })
  const db = {
    asOwner: async (text: string, values: readonly unknown[] = []) => (await client.query(text, [...values])).rows,
  }
  for (let written = 0; written < MILLION; written += BATCH)
    await addVisits(
      db,
      Array.from({ length: BATCH }, (_, i) => visit(written + i)),
      { day: 'null' },
    )
  const sizes = []
  for (const [name, text] of Object.entries(TABLES)) {
    const { rows } = await client.query<{ size: string }>(`select (${text})::text as size`)
    sizes.push(measured(name, [Number(rows[0]?.size)]))
  }
  return { title: 'A million visits on the disk', baseline: 'single visits', unit: 'MiB', measured: sizes }
}

const YEAR_LINKS = 1_000
const YEAR_VISITS = 100_000_000

/**
 * The totals that 100,000,000 visits of 1,000 links leave in a year: by hour for five weeks, and by day before. Those
 * by referrer, country and so on are written for the owner and for the busiest link; no question below reads those of
 * the others.
 */
const year = async ({ client, editor }: BenchDatabase, server: BenchServer): Promise<readonly Suite[]> => {
  const tables = ['visit_hours', 'visit_values', 'owner_visit_hours', 'owner_visit_values', 'visit_counts']
  await client.query(`truncate ${tables.join(', ')}`)
  await client.query('create temp table bench_hours (hour int, hours int)')
  await client.query(
    `with now as (select extract(epoch from now())::int / 3600 as hour),
       days as (select hour / 24 * 24 - 35 * 24 as first from now)
     insert into bench_hours
     select h, 1 from now, days, generate_series(days.first, now.hour - 1) h
     union all select days.first - d * 24 + 12, 24 from days, generate_series(1, 330) d`,
  )
  await client.query(
    `with ranked as (select id, row_number() over (order by id) as rank from links order by id limit ${YEAR_LINKS}),
       whole as (select sum(1.0 / rank) as weight from ranked)
     insert into visit_hours
     select id, hour, n, n / 10, n * 7 / 10 from (
       select r.id, h.hour, floor(${YEAR_VISITS} / 8760.0 * h.hours / r.rank / whole.weight + random())::int as n
         from ranked r, whole, bench_hours h) each where n > 0`,
  )
  await client.query(
    `insert into owner_visit_hours select ${editor.id}, hour, sum(visits), sum(bots), sum(visitors)
       from visit_hours group by hour`,
  )
  await client.query(
    `insert into visit_counts select link_id, ${editor.id}, ${editor.id}, sum(visits), sum(bots), now()
       from visit_hours group by link_id`,
  )
  const values = (table: string, from: string, key: string) =>
    client.query(
      `insert into ${table} select ${key}, hour, dimension::visit_dimension, dimension || '-' || v, n, n / 10 from (
         select t.${key}, t.hour, d.dimension, v, floor(t.visits / v / ln(d.most) + random())::int as n
           from ${from} t, (values ('referrer', 300), ('country', 120), ('browser', 15), ('os', 8), ('device', 4))
             d (dimension, most), generate_series(1, d.most) v) each where n > 0`,
    )
  await values('owner_visit_values', 'owner_visit_hours', 'owner_id')
  const busiest = '(select * from visit_hours where link_id = (select min(link_id) from visit_hours))'
  await values('visit_values', busiest, 'link_id')
  await client.query(`vacuum analyze ${tables.join(', ')}`)
  const size = async (of: string): Promise<number> => {
    const text = `select sum(${of})::float8 as n from unnest($1::text[]) t`
    return (await client.query<{ n: number }>(text, [tables])).rows[0]?.n ?? 0
  }
  const rows = await size(`(select reltuples from pg_class where oid = t::regclass)`)
  const bytes = await size('pg_total_relation_size(t::regclass)')

  const ask = (name: string, path: string) => ({
    name,
    batch: 1,
    run: async () => {
      const answer = await fetch(`${server.url}${path}`, { headers: { authorization: editor.authorization } })
      const body = await answer.text()
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${body}`)
    },
  })
  const from = new Date(Date.now() - 364 * 86_400_000).toISOString()
  const query = `from=${from}&interval=day&zone=Europe/Berlin`
  const asked = await measure(
    [ask('one link', `/links/bench-1/visits?${query}`), ask('1,000 links', `/visits?${query}`)],
    { rounds: 7, warmups: 2 },
  )
  return [
    { title: 'A year by day of 100,000,000 visits', baseline: 'one link', unit: 'ms', measured: asked },
    {
      title: 'Totals of that year: rows',
      baseline: 'rows',
      unit: 'rows',
      measured: [measured('rows', [rows])],
    },
    {
      title: 'Totals of that year on the disk',
      baseline: 'bytes',
      unit: 'MiB',
      measured: [measured('bytes', [bytes])],
    },
  ]
}
