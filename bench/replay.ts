import type { Client } from 'pg'

import { replay } from '../src/audit/replay.js'
import { openPool } from '../src/database/pool.js'
import type { PolicyRow } from '../src/domain/policy-row.js'
import { buildSnapshot } from '../src/policy/snapshot.js'
import { rowsOf, shippedRules } from '../test/support/policy.js'
import { openEmptyDatabase } from './database.js'
import { measure, type Measured } from './measure.js'
import type { Suite } from './report.js'

/** Recorded decisions of the window. */
const SIZES = [10_000, 100_000, 1_000_000] as const

/**
 * Replays the recorded decisions of a day: for an edit that changes one in eight of them, and for one that changes
 * most.
 */
export const replaySuite = async (): Promise<readonly Suite[]> => {
  const { client, service, close } = await openEmptyDatabase()
  const database = openPool({ connection: service, size: 2, deadlineMs: 60_000 })
  try {
    const { model } = await shippedRules()
    const rows = await rowsOf('default.csv')
    const inForce = await buildSnapshot(1, model, rows)
    const edits: readonly (readonly [title: string, stays: (row: PolicyRow) => boolean])[] = [
      ['that changes one in eight', (row) => row.ptype !== 'p' || row.priority !== 530],
      ['that changes most of them', (row) => row.ptype !== 'p'],
    ]
    const suites: Suite[] = []
    const figures = new Map<string, Measured[]>(edits.map(([title]) => [title, []]))
    for (const size of SIZES) {
      await fill(client, size)
      for (const [title, stays] of edits) {
        const candidate = await buildSnapshot(2, model, rows.filter(stays))
        figures.get(title)?.push(
          ...(await measure(
            [
              {
                name: `${size.toLocaleString('en')} records`,
                batch: 1,
                run: async () => {
                  await replay(database, { window: '24h', minutes: 1_440, inForce, candidate, budgetMs: 60_000 })
                },
              },
            ],
            { rounds: 5, warmups: 1 },
          )),
        )
      }
    }
    for (const [title, measured] of figures)
      suites.push({ title: `Replay of a day, an edit ${title}`, baseline: '100,000 records', unit: 'ms', measured })
    return suites
  } finally {
    await database.close()
    await close()
  }
}

/**
 * Decisions as the default rows make them, of 10,000 users, spread over the last 23 hours. Their chain is not what is
 * measured.
 */
const fill = async (client: Client, size: number): Promise<void> => {
  await client.query('alter table decisions disable trigger user')
  await client.query('truncate decisions')
  await client.query(
    `insert into decisions (id, time, request_id, revision, layer, subject_id, subject_role, token_id, action,
            resource_type, resource_code, relation, effect, rule, status, writer, seq, previous, hash)
     select i, now() - interval '23 hours' * (1 - i::float8 / $1), gen_random_uuid()::text, 1, k.layer,
            1 + i::bigint * 7919 % 10000, 'editor', gen_random_uuid()::text, k.action,
            split_part(k.action, ':', 1), 'code-' || i, k.relation, k.effect, k.rule, 200, 1, i,
            decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
       from generate_series(1, $1::int) i
       join (values
              (0, 'object', 'link:create', 'other', 'allow', 'R4'),
              (1, 'object', 'link:delete', 'own', 'allow', 'R5'),
              (2, 'object', 'link:delete', 'other', 'deny', 'R5'),
              (3, 'object', 'profile:read', 'own', 'allow', 'R7'),
              (4, 'endpoint', 'policy:read', 'other', 'deny', 'role_not_allowed'),
              (5, 'object', 'link:update', 'own', 'allow', 'R5'),
              (6, 'object', 'link:create', 'other', 'allow', 'R4'),
              (7, 'gateway', 'link:delete', 'other', 'deny', 'token_required'))
            k(n, layer, action, relation, effect, rule) on k.n = i % 8`,
    [size],
  )
  await client.query('vacuum analyze decisions')
}
