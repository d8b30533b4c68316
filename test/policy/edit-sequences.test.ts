import * as fc from 'fast-check'
import { expect } from 'chai'
import { PolicyReplaced } from '../../src/database/errors.js'
import { Client } from 'pg'

import type { Database } from '../../src/database/database.js'
import { openPool } from '../../src/database/pool.js'
import type { PolicyRow } from '../../src/domain/policy-row.js'
import { Refusal } from '../../src/domain/refusal.js'
import { newPostgresAdapter } from '../../src/policy/adapter.js'
import { createCurrentPolicy, type CurrentPolicy } from '../../src/policy/current.js'
import { commitEdit } from '../../src/policy/commit-edit.js'
import { editBetween, planEdit, type EditPlan } from '../../src/policy/edit.js'
import { storedRevisionOf } from '../../src/policy/history.js'
import { loadSnapshot, planRestore } from '../../src/policy/replacement.js'
import { rowText } from '../../src/policy/parse-row.js'
import { buildSnapshot, type Snapshot } from '../../src/policy/snapshot.js'
import type { PolicyRules } from '../../src/policy/store.js'
import { testDatabase } from '../support/database.js'
import {
  casbinOver,
  csvRows,
  interpreterWitness,
  policyRow,
  requireAgreement,
  shippedRules,
  snapshotWitness,
} from '../support/policy.js'

/** How many sequences of edits: 100 in the suite, `POLICY_SEQUENCES=20000` on demand. */
const SEQUENCES = Number(process.env['POLICY_SEQUENCES'] ?? 100)

type Step =
  | { readonly kind: 'edit'; readonly add: readonly PolicyRow[]; readonly remove: readonly number[] }
  | { readonly kind: 'restore'; readonly back: number }
  | { readonly kind: 'stale'; readonly add: readonly PolicyRow[] }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      add: fc.array(policyRow, { maxLength: 3 }),
      remove: fc.array(fc.nat(), { maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), back: fc.nat({ max: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('stale' as const),
      add: fc.array(policyRow, { minLength: 1, maxLength: 2 }),
    }),
  },
)

const sequence = fc.record({
  guarded: fc.constantFrom(true, false, false),
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
})

const START = csvRows(
  `p, 100, R3, admin, *, any, allow
   p, 9, R1, anyone, link:read, any, allow
   p, 1001, R6, anyone, *, any, deny
   p2, admin, *
   g, editor, viewer`,
)
const ORIGIN = { actor: { id: null, name: 'a test' }, reason: 'a step', decision: null }

const asStored = (base: Snapshot) => ({ ...storedRevisionOf(base), lastGood: base, fault: null })

describe('a sequence of edits', () => {
  let database: Database
  let reader: Client
  let shipped: PolicyRules
  let rules: PolicyRules
  let policy: CurrentPolicy
  const told = { steps: 0, kept: 0, refused: 0, restored: 0, decisions: 0 }

  before(async () => {
    const { service } = await testDatabase()
    database = openPool({ connection: service, size: 2, deadlineMs: 10_000 })
    reader = new Client(service)
    await reader.connect()
    rules = shipped = await shippedRules()
    policy = createCurrentPolicy((known) => loadSnapshot(database, rules)(known))
  })
  after(async () => {
    if (process.env['POLICY_SEQUENCES'] !== undefined) process.stderr.write(`${JSON.stringify(told)}\n`)
    await reader.end()
    await database.close()
  })

  /** Casbin as anybody would set it up: a new enforcer that loads the stored rows through casbin-pg-adapter. */
  const storedWitness = async () => casbinOver(rules.model.text, await newPostgresAdapter(reader))

  const perform = async (rows: readonly PolicyRow[], each: Step): Promise<EditPlan | null> => {
    const base = policy.current()
    if (each.kind === 'restore') {
      told.restored += 1
      return planRestore(database, asStored(base), base.revision - each.back, rules, 'unbounded')
    }
    const remove =
      each.kind === 'edit' ? [...new Set(each.remove)].flatMap((i) => rows[i % Math.max(rows.length, 1)] ?? []) : []
    const plan = await planEdit(base, { add: each.add, remove }, rules, 'unbounded')
    return each.kind === 'stale' ? { ...plan, candidate: { ...plan.candidate, revision: base.revision } } : plan
  }

  /**
   * A snapshot is a function of its revision, its model and its rows in their order: with these alike, so is all of it.
   */
  const requireAlike = (committed: Snapshot, loaded: Snapshot) => {
    expect(committed.revision).to.equal(loaded.revision)
    expect(committed.model).to.equal(loaded.model)
    expect(committed.rows.map(rowText), 'what the process that edits adopts').to.deep.equal(loaded.rows.map(rowText))
  }

  const requireOneMind = async (rows: readonly PolicyRow[]) => {
    const snapshot = await policy.refresh()
    expect(snapshot.rows.map(rowText).sort()).to.deep.equal(rows.map(rowText).sort())
    told.decisions += requireAgreement(rows, {
      running: snapshotWitness(snapshot),
      stored: await storedWitness(),
      interpreter: interpreterWitness(rows),
    })
  }

  it(`keeps snapshot, Casbin over stored rows and interpreter in agreement (${SEQUENCES} sequences)`, async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async ({ guarded, steps }) => {
        rules = { ...shipped, invariants: guarded ? shipped.invariants : () => [] }
        const base = policy.status().revision === null ? await buildSnapshot(0, rules.model, []) : policy.current()
        const back = await planEdit(base, editBetween(base.rows, START), rules, 'unbounded')
        if (back.add.length + back.remove.length > 0) await commitEdit(database, back, ORIGIN)
        await policy.refresh()
        const history = [START]
        let rows: readonly PolicyRow[] = START
        for (const each of steps) {
          told.steps += 1
          const { revision } = policy.current()
          try {
            const restoring = each.kind === 'restore' && each.back < history.length
            if (each.kind === 'restore' && !restoring) continue
            const plan = await perform(rows, each)
            if (plan === null) throw new Error('there was such a revision')
            if (plan.add.length + plan.remove.length === 0) continue
            const committed = await commitEdit(database, plan, ORIGIN)
            if (each.kind === 'stale') throw new Error('a stale edit was committed')
            requireAlike(committed, await policy.refresh())
            told.kept += 1
            const gone = new Set(plan.remove.map(rowText))
            rows = restoring
              ? (history.at(-1 - each.back) ?? [])
              : [...rows.filter((row) => !gone.has(rowText(row))), ...plan.add]
            history.push(rows)
          } catch (error) {
            if (!(error instanceof PolicyReplaced)) {
              if (!(error instanceof Refusal)) throw error
              expect(error.code).to.be.oneOf(['validation_failed', 'invariant_violated'])
            }
            told.refused += 1
            expect((await policy.refresh()).revision, 'a refused edit makes no revision').to.equal(revision)
          }
          await requireOneMind(rows)
        }
      }),
      { numRuns: SEQUENCES },
    )
    expect(told.kept).to.be.greaterThan(SEQUENCES * 0.7)
    expect(told.refused).to.be.greaterThan(SEQUENCES * 0.3)
  }).timeout(120_000 + SEQUENCES * 200)
})
