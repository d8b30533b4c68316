import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { to as copyTo } from 'pg-copy-streams'

import { openBenchDatabase } from './database.js'
import { measure, type Measured } from './measure.js'
import type { Suite } from './report.js'
import { startLinkgate } from './server.js'

const FEW = 10_000
const MANY = 1_000_000
const PAGES = 200
const SEARCHED = 50
const SEARCHES = [
  ['by a text that few links have', 'q=NEEDLE'],
  ['by a text that all links have', 'q=example.com'],
  ['by a tag', 'tag=rare'],
  ['by a tag and a text', 'tag=rare&q=haystack'],
  ['of those that are not active', 'state=inactive'],
  ['of those that are active', 'state=active'],
  ['by code', 'sort=code'],
] as const

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

const named = (name: string, { rounds, median, lowest, highest }: Measured): Measured => ({
  name,
  rounds,
  median,
  lowest,
  highest,
})

const linesIn = (chunk: Uint8Array): number => {
  let lines = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1
  return lines
}

/** One owner's newest page and their whole export, at ten thousand links and at a million. */
export const scaleSuites = async (): Promise<readonly Suite[]> => {
  const database = await openBenchDatabase()
  const { client, editor } = database
  const headers = { authorization: editor.authorization }
  const linkgate = await startLinkgate({ ...database.environment(), REQUEST_DEADLINE_MS: '120000' })
  try {
    const get = async (path: string) => {
      const response = await fetch(`${linkgate.url}${path}`, { headers })
      if (!response.ok || response.body === null) throw new Error(`${path}: ${response.status}`)
      return response.body
    }
    const newest = (name: string) => ({
      name,
      batch: PAGES,
      run: async () => {
        for (let i = 0; i < PAGES; i += 1) for await (const chunk of await get('/links?limit=20')) void chunk
      },
    })
    /** Lists that have to find 20 links among all, or any 20. */
    const lists = (size: string) =>
      SEARCHES.map(([what, query]) => ({
        name: `${what}, ${size}`,
        batch: SEARCHED,
        run: async () => {
          for (let i = 0; i < SEARCHED; i += 1)
            for await (const chunk of await get(`/links?limit=20&${query}`)) void chunk
        },
      }))
    // else the server does it by itself, in the middle of a round
    const tidy = async () => {
      await client.query('vacuum analyze links, bare_links')
    }
    await database.addLinks(1, FEW)
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into links (code, target, owner_id, title, note, tags, active)
       select 'rare-' || n, 'https://example.com/rare/' || n, $1, 'A needle', 'in the haystack', '{rare}', false
         from generate_series(1, 20) n`,
      [editor.id],
    )
    await client.query('set session_replication_role = origin')
    await tidy()
    const [few] = await measure([newest('few')], { rounds: 7, warmups: 2 })
    const fewFound = await measure(lists('few'), { rounds: 7, warmups: 2 })
    for (let from = FEW + 1; from <= MANY; from += 99_000) await database.addLinks(from, Math.min(MANY, from + 98_999))
    await tidy()
    const [many] = await measure([newest('many')], { rounds: 7, warmups: 2 })
    if (!few || !many) throw new Error('nothing was measured')
    const manyFound = await measure(lists('many'), { rounds: 7, warmups: 2 })

    const idle = (await linkgate.memory()).now
    // counted once, before anything is measured: whoever looks at every line measures themselves
    let [lines, whole] = [0, 0]
    for await (const chunk of await get('/links/export')) {
      lines += linesIn(chunk)
      whole += chunk.length
    }
    if (lines !== MANY + 21) throw new Error(`the export has ${lines} lines`)

    let peak = 0
    const exported = {
      name: 'Linkgate, GET /links/export',
      batch: 1,
      run: async () => {
        const look = async () => {
          peak = Math.max(peak, (await linkgate.memory()).now)
        }
        const watching = setInterval(() => void look(), 50)
        let bytes = 0
        for await (const chunk of await get('/links/export')) bytes += chunk.length
        clearInterval(watching)
        if (bytes !== whole) throw new Error(`the export has ${bytes} bytes, and had ${whole}`)
      },
    }
    const copied = {
      name: 'COPY … TO STDOUT through pg',
      batch: 1,
      run: async () => {
        const stream = client.query(
          copyTo(
            `copy (select id, code, target, owner_id, created_at, updated_at, title, note, tags, status, active,
                    starts_at, expires_at, max_visits, has_password, forward_query from links
                    where owner_id = ${editor.id} order by id) to stdout csv`,
          ),
        )
        await pipeline(stream, nowhere())
      },
    }
    const exports = await measure([copied, exported], { rounds: 7, warmups: 2 })
    return [
      {
        title: 'Newest 20 of one owner',
        baseline: `at ${FEW.toLocaleString('en')} links`,
        unit: 'µs',
        measured: [
          named(`at ${FEW.toLocaleString('en')} links`, few),
          named(`at ${MANY.toLocaleString('en')} links`, many),
        ],
      },
      ...SEARCHES.flatMap(([what], i) => {
        const [fewer, more] = [fewFound[i], manyFound[i]]
        if (!fewer || !more) return []
        const at = [`at ${FEW.toLocaleString('en')} links`, `at ${MANY.toLocaleString('en')} links`] as const
        return [
          {
            title: `A list ${what}`,
            baseline: at[0],
            unit: 'µs' as const,
            measured: [named(at[0], fewer), named(at[1], more)],
          },
        ]
      }),
      {
        title: `Export of ${MANY.toLocaleString('en')} links`,
        baseline: 'COPY … TO STDOUT through pg',
        unit: 'ms',
        measured: exports,
      },
      {
        title: 'Memory of that export',
        baseline: 'the service before it',
        unit: 'MiB',
        measured: [
          { name: 'the service before it', rounds: [idle], median: idle, lowest: idle, highest: idle },
          {
            name: 'its peak over that',
            rounds: [peak - idle],
            median: peak - idle,
            lowest: peak - idle,
            highest: peak - idle,
          },
        ],
      },
    ]
  } finally {
    await linkgate.stop()
    await database.close()
  }
}
