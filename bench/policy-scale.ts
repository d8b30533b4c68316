import { monitorEventLoopDelay } from 'node:perf_hooks'

import type { Client } from 'pg'

import { PACKAGE_ROOT } from '../src/config.js'
import { openPool } from '../src/database/pool.js'
import { Deadline } from '../src/domain/deadline.js'
import { loadPolicyRules } from '../src/policy/installation.js'
import { analyseRows } from '../src/policy/analysis.js'
import type { Edit } from '../src/policy/edit.js'
import { createPreviews } from '../src/policy/preview.js'
import { loadSnapshot } from '../src/policy/replacement.js'
import { moreRows } from './can.js'
import { openEmptyDatabase } from './database.js'
import { measure } from './measure.js'
import type { Suite } from './report.js'

const ONE_MORE: Edit = { add: [{ ptype: 'p2', role: 'clerk', action: 'link:read' }], remove: [] }

/** Stored rows: the default ones, and so many more that name other roles and actions. */
const SIZES = [10, 10_000, 100_000] as const

/**
 * Loading a revision of so many rows, analysing it, deciding for a key that was never asked, and how long the event
 * loop stood still.
 */
export const policyScaleSuite = async (): Promise<readonly Suite[]> => {
  const { client, service, close } = await openEmptyDatabase()
  const database = openPool({ connection: service, size: 2, deadlineMs: 60_000 })
  try {
    const rules = await loadPolicyRules(PACKAGE_ROOT)
    const load = loadSnapshot(database, rules)
    const [loads, stalls, first, analyses, previews]: [
      Suite['measured'][number][],
      Suite['measured'][number][],
      Suite['measured'][number][],
      Suite['measured'][number][],
      Suite['measured'][number][],
    ] = [[], [], [], [], []]
    for (const size of SIZES) {
      await fill(client, size)
      const name = `${size.toLocaleString('en')} rows`
      const delays: number[] = []
      const [loaded] = await measure(
        [
          {
            name,
            batch: 1,
            run: async () => {
              // the histogram's resolution is subtracted: an idle loop reads as one tick of it
              const delay = monitorEventLoopDelay({ resolution: 1 })
              delay.enable()
              await load(null)
              delay.disable()
              delays.push(Math.max(0, delay.max - 1e6))
            },
          },
        ],
        { rounds: 5, warmups: 1 },
      )
      const snapshot = await load(null)
      if (!loaded || !snapshot) throw new Error('no policy was loaded')
      loads.push(loaded)
      const stood = delays.slice(1).toSorted((a, b) => a - b)
      stalls.push({
        name,
        rounds: stood,
        median: stood[2] ?? Number.NaN,
        lowest: stood[0] ?? Number.NaN,
        highest: stood.at(-1) ?? Number.NaN,
      })
      let key = 0
      const [asked] = await measure(
        [
          {
            name,
            batch: 1,
            run: () => {
              snapshot.decideFor(`role-${key % 1_000}`, `thing_${(key += 1)}:read`, 'other')
            },
          },
        ],
        { rounds: 50, warmups: 5 },
      )
      if (asked) first.push(asked)
      const [analysed] = await measure(
        [
          {
            name,
            batch: 1,
            run: async () => {
              await analyseRows(snapshot)
            },
          },
        ],
        { rounds: 5, warmups: 1 },
      )
      if (analysed) analyses.push(analysed)
      const preview = createPreviews(rules)
      const [previewed] = await measure(
        [
          {
            name,
            batch: 1,
            run: async () => {
              const deadline = new Deadline(performance.now() + 60_000)
              await preview(snapshot, ONE_MORE, { maker: 'unbounded', rolesInUse: [], deadline })
            },
          },
        ],
        { rounds: 5, warmups: 1 },
      )
      if (previewed) previews.push(previewed)
    }
    const suite = (title: string, unit: Suite['unit'], measured: Suite['measured']): Suite => ({
      title,
      baseline: '10,000 rows',
      unit,
      measured,
    })
    return [
      suite('Load a revision (read, parse, build, ask the invariants)', 'ms', loads),
      suite('Longest stop of the event loop during that load', 'ms', stalls),
      suite('First decision for a key that was never asked', 'µs', first),
      suite('Analyse every row', 'ms', analyses),
      suite('Preview an edit of one row', 'ms', previews),
    ]
  } finally {
    await database.close()
    await close()
  }
}

const fill = async (client: Client, size: number): Promise<void> => {
  const rows = JSON.stringify(
    moreRows(size).map(({ priority, rule, role, action, reach, effect }) => [
      String(priority),
      rule,
      role,
      action,
      reach,
      effect,
    ]),
  )
  await client.query('truncate casbin')
  await client.query(`insert into casbin (ptype, rule) select 'p', value from jsonb_array_elements($1::jsonb)`, [rows])
  // the three rows that the shipped invariants ask for
  await client.query(
    `insert into casbin (ptype, rule) values ('p', '["300","R3","admin","*","any","allow"]'), ('p2', '["admin","*"]')`,
  )
}
