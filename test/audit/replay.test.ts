import { expect } from 'chai'
import * as fc from 'fast-check'
import { Client } from 'pg'

import { replay, type Replay } from '../../src/audit/replay.js'
import type { Database } from '../../src/database/database.js'
import { openPool } from '../../src/database/pool.js'
import type { Relation } from '../../src/domain/decision.js'
import type { PolicyRow } from '../../src/domain/policy-row.js'
import { Refusal } from '../../src/domain/refusal.js'
import { parseWindow } from '../../src/domain/replay-window.js'
import { buildSnapshot } from '../../src/policy/snapshot.js'
import type { PolicyRules } from '../../src/policy/store.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { interpret, interpretEndpoint, policyRows, rowsOf, shippedRules } from '../support/policy.js'
import { startTestService } from '../support/service.js'

interface Recorded {
  readonly subject_id: string | null
  readonly subject_role: string
  readonly action: string
  readonly relation: Relation
  readonly layer: string
  readonly effect: 'allow' | 'deny'
  readonly rule: string
  readonly minutes_ago: number
}

const NOW = new Date('2026-11-21T12:00:00Z')
const WINDOW = { window: '1h', minutes: 60, until: NOW, budgetMs: 10_000 }

// ── every record decided by itself, by the interpreter of test/support/policy.ts ──

type Verdict = { readonly effect: string; readonly rule: string } | null

const decideOne = (
  rows: readonly PolicyRow[],
  { subject_role: role, action, relation, layer, effect, rule }: Recorded,
): Verdict => {
  if (!interpretEndpoint(rows, role, action)) return { effect: 'deny', rule: 'role_not_allowed' }
  const answer = (each: Relation) => {
    const { effect, row } = interpret(rows, role, action, each)
    return { effect, rule: row?.rule ?? 'default' }
  }
  const beyond = rule === 'policy_denied' || rule === 'beyond_own_rights'
  const byRoute = beyond || rule === 'own_proposal' || rule === 'wrong_password'
  if (layer === 'object' && !byRoute) return answer(relation)
  const [own, other] =
    role === 'anonymous' ? [answer('anonymous'), answer('anonymous')] : [answer('own'), answer('other')]
  if (own.effect !== other.effect || own.rule !== other.rule) return null
  if (!byRoute || own.effect === 'deny') return own
  return beyond ? null : { effect, rule }
}

const text = (verdict: Verdict): string => (verdict === null ? '?' : `${verdict.effect} ${verdict.rule}`)

const bruteForce = (records: readonly Recorded[], inForce: readonly PolicyRow[], candidate: readonly PolicyRow[]) => {
  const considered = records.filter(
    ({ layer, minutes_ago }) => layer !== 'gateway' && minutes_ago > 0 && minutes_ago <= 60,
  )
  const decided = considered.map((record) => ({
    record,
    now: decideOne(inForce, record),
    after: decideOne(candidate, record),
  }))
  const others = decided.filter(({ record, after }) => after !== null && text(after) !== text(record))
  const changed = others.filter(({ record, after }) => after?.effect !== record.effect)
  const undetermined = decided.filter(({ after }) => after === null)
  const tally = new Map<string, Map<string | null, number>>()
  for (const { record, now, after } of [...others, ...undetermined]) {
    const name = [
      record.subject_role,
      record.action,
      record.relation,
      record.layer,
      text(record),
      text(now),
      text(after),
    ].join(' | ')
    const subjects = tally.get(name) ?? new Map<string | null, number>()
    tally.set(name, subjects.set(record.subject_id, (subjects.get(record.subject_id) ?? 0) + 1))
  }
  return {
    considered: considered.length,
    changed: changed.length,
    by_other_rule: others.length - changed.length,
    undetermined: undetermined.length,
    allow_to_deny: changed.filter(({ record, after }) => record.effect === 'allow' && after?.effect === 'deny').length,
    deny_to_allow: changed.filter(({ record, after }) => record.effect === 'deny' && after?.effect === 'allow').length,
    already: changed.filter(({ now, after }) => now?.effect === after?.effect).length,
    subjects: new Set(changed.flatMap(({ record }) => record.subject_id ?? [])).size,
    tally: Object.fromEntries([...tally].map(([name, subjects]) => [name, Object.fromEntries(subjects)])),
  }
}

const asTally = ({
  decisions,
  considered,
  changed,
  by_other_rule,
  undetermined,
  allow_to_deny,
  deny_to_allow,
  already,
  subjects,
}: Replay) => ({
  considered,
  changed,
  by_other_rule,
  undetermined,
  allow_to_deny,
  deny_to_allow,
  already,
  subjects,
  tally: Object.fromEntries(
    decisions.map(({ role, action, relation, layer, before, in_force, after, subjects }) => [
      [role, action, relation, layer, text(before), text(in_force), text(after)].join(' | '),
      Object.fromEntries(subjects.map(({ id, count }) => [id, count])),
    ]),
  ),
})

const recorded: fc.Arbitrary<Recorded> = fc
  .record({
    subject_id: fc.constantFrom('1', '2', '3', '9007199254740993'),
    subject_role: fc.constantFrom('admin', 'editor', 'viewer', 'clerk', 'anonymous'),
    action: fc.constantFrom('link:read', 'link:update', 'link:delete', 'doc:sign', 'audit:read'),
    relation: fc.constantFrom<Relation>('own', 'other'),
    layer: fc.constantFrom('object', 'object', 'object', 'endpoint', 'gateway'),
    effect: fc.constantFrom('allow' as const, 'deny' as const),
    rule: fc.constantFrom(
      'R1',
      'R5',
      'A',
      'default',
      'policy_denied',
      'beyond_own_rights',
      'own_proposal',
      'wrong_password',
    ),
    minutes_ago: fc.constantFrom(0, 1, 5, 59, 60, 61),
  })
  .map((record) => ({
    ...record,
    ...(record.subject_role === 'anonymous'
      ? { subject_id: null, relation: record.layer === 'object' ? ('anonymous' as const) : ('other' as const) }
      : {}),
    ...(record.layer === 'endpoint'
      ? { relation: 'other' as const, effect: 'deny' as const, rule: 'role_not_allowed' }
      : {}),
    ...(record.layer === 'gateway' ? { effect: 'deny' as const, rule: 'token_required' } : {}),
  }))

describe('a replay', () => {
  let rules: PolicyRules
  let db: TestDatabase
  let database: Database

  before(async () => {
    rules = await shippedRules()
    db = await testDatabase()
    database = openPool({ connection: db.service, size: 2, deadlineMs: 20_000 })
  })
  after(() => database.close())

  const record = async (records: readonly Recorded[]): Promise<void> => {
    await db.asOwner('truncate decisions')
    await db.asOwner(
      `insert into decisions (time, request_id, revision, layer, subject_id, subject_role, action, resource_type,
                              relation, effect, rule, status)
       select $2::timestamptz - make_interval(mins => minutes_ago), 'r', 1, layer, subject_id, subject_role, action,
              split_part(action, ':', 1), relation, effect, rule, 200
         from jsonb_to_recordset($1::jsonb) as r(layer text, subject_id bigint, subject_role text, action text,
                                                 relation text, effect text, rule text, minutes_ago integer)`,
      [JSON.stringify(records), NOW.toISOString()],
    )
  }
  const replayed = async (
    inForce: readonly PolicyRow[],
    candidate: readonly PolicyRow[],
    more: object = {},
  ): Promise<Replay> =>
    replay(database, {
      ...WINDOW,
      inForce: await buildSnapshot(1, rules.model, inForce),
      candidate: await buildSnapshot(2, rules.model, candidate),
      ...more,
    })

  it('gives what deciding each record by itself gives, for any records and any edit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(recorded, { maxLength: 40 }),
        policyRows,
        policyRows,
        async (records, inForce, candidate) => {
          await record(records)
          expect(asTally(await replayed(inForce, candidate))).to.deep.equal(bruteForce(records, inForce, candidate))
        },
      ),
      { numRuns: 75 },
    )
  })

  it('gives the same for 3,000 records and edits of the default policy', async () => {
    const rows = await rowsOf('default.csv')
    const [seeded] = fc.sample(fc.array(recorded, { minLength: 3_000, maxLength: 3_000 }), { numRuns: 1, seed: 21 })
    const records = seeded ?? []
    await record(records)
    for (const candidate of [
      rows,
      [...rows, ...(await rowsOf('auditor.csv'))],
      rows.filter((row) => row.ptype !== 'p' || row.priority !== 530),
      rows.filter(({ ptype }) => ptype !== 'p2'),
    ]) {
      const answer = await replayed(rows, candidate)
      const [{ tally, ...totals }, { tally: expected, ...expectedTotals }] = [
        asTally(answer),
        bruteForce(records, rows, candidate),
      ]
      expect(totals).to.deep.equal(expectedTotals)
      // the largest groups are listed, the others are counted
      expect(answer.decisions.length + answer.not_listed).to.equal(Object.keys(expected).length)
      for (const [name, subjects] of Object.entries(tally)) expect(subjects, name).to.deep.equal(expected[name])
    }
  })

  it("names the hundred users with the most of a group's decisions, and counts them all", async () => {
    const rows = await rowsOf('default.csv')
    const one = {
      subject_role: 'editor',
      action: 'link:delete',
      relation: 'own',
      layer: 'object',
      effect: 'allow',
      rule: 'R5',
      minutes_ago: 1,
    } as const
    await record(
      Array.from({ length: 120 }, (_, user) =>
        Array.from({ length: user < 10 ? 3 : 1 }, () => ({ ...one, subject_id: String(user + 1) })),
      ).flat(),
    )
    const { decisions, subjects, changed } = await replayed(
      rows,
      rows.filter((row) => row.ptype !== 'p' || row.priority !== 530),
    )
    expect({ changed, subjects, users: decisions[0]?.users, named: decisions[0]?.subjects.length }).to.deep.equal({
      changed: 140,
      subjects: 120,
      users: 120,
      named: 100,
    })
    expect(decisions[0]?.subjects.slice(0, 11).map(({ count }) => count)).to.deep.equal([
      ...Array.from({ length: 10 }, () => 3),
      1,
    ])
  })

  it('shows the newest decisions whose answer turns, none that only another rule would give', async () => {
    const rows = await rowsOf('default.csv')
    const one = { subject_id: '7', subject_role: 'editor', relation: 'other', layer: 'object', effect: 'deny' } as const
    await record([
      ...Array.from({ length: 25 }, (_, nth) => ({ ...one, action: 'link:delete', rule: 'R5', minutes_ago: 30 - nth })),
      { ...one, action: 'link:update', rule: 'R5', minutes_ago: 2 },
    ])
    const row = { ptype: 'p', rule: 'MOD', role: 'editor', reach: 'any' } as const
    const { examples, changed, by_other_rule } = await replayed(rows, [
      ...rows,
      { ...row, priority: 505, action: 'link:delete', effect: 'allow' },
      { ...row, priority: 506, action: 'link:update', effect: 'deny' },
    ])
    expect({ changed, by_other_rule, shown: examples.length }).to.deep.equal({
      changed: 25,
      by_other_rule: 1,
      shown: 20,
    })
    expect(examples[0]).to.deep.equal({
      time: new Date(NOW.getTime() - 6 * 60_000),
      request_id: 'r',
      subject: { id: '7', role: 'editor' },
      action: 'link:delete',
      resource: { type: 'link', code: null },
      before: { effect: 'deny', rule: 'R5' },
      after: { effect: 'allow', rule: 'MOD' },
    })
  })

  it('is refused with advice where the log cannot be read within its budget', async () => {
    const rows = await rowsOf('default.csv')
    const holder = new Client(db.owner)
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query('lock table decisions')
      const refused = await replayed(rows, rows, { budgetMs: 100 }).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(Refusal).and.to.include({ code: 'validation_failed' })
      expect(refused).to.have.nested.property('errors[0].message').that.includes('ask for a shorter window')
    } finally {
      await holder.end()
    }
    expect(await replayed(rows, rows), 'and the connection is as good as before').to.include({ not_listed: 0 })
  })

  it('reads windows of minutes, hours and days, up to 90 days', () => {
    expect(['1m', '90m', '24h', '7d', '90d', '2160h'].map((text) => parseWindow(text)?.minutes)).to.deep.equal([
      1, 90, 1_440, 10_080, 129_600, 129_600,
    ])
    for (const wrong of [
      '',
      '24',
      'h',
      '0h',
      '-1h',
      '1.5h',
      '91d',
      '24H',
      ' 24h',
      '1w',
      '999999d',
      '24h ',
      '1e3m',
      'constructor',
    ])
      expect(parseWindow(wrong), wrong).to.equal(null)
  })
})

describe('a replay over HTTP', () => {
  it('is refused before the deadline of its request where the log cannot be read in time', async () => {
    const service = await startTestService({ environment: { REQUEST_DEADLINE_MS: '1500' } })
    const holder = new Client(service.db.owner)
    await holder.connect()
    try {
      const admin = await service.addUser('admin')
      await holder.query('begin')
      await holder.query('lock table decisions')
      const { status, json } = await service.request('POST', '/policy/changes?dry_run=true&replay=1h', {
        token: admin.token,
        headers: { 'If-Match': '"1"' },
        json: { add: [{ ptype: 'p2', role: 'clerk', action: 'link:read' }], remove: [], reason: 'a test' },
      })
      expect(status).to.equal(422)
      expect(json).to.have.nested.property('errors[0].field', 'replay')
    } finally {
      await holder.end()
      await service.stop()
    }
  })
})
