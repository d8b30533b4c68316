import { readFile } from 'node:fs/promises'

import { EnforceContext, Helper, newEnforcer, newModelFromString, type Adapter } from 'casbin'
import * as fc from 'fast-check'

import { PACKAGE_ROOT } from '../../src/config.js'
import type { Relation } from '../../src/domain/decision.js'
import type { EndpointRow, InheritanceRow, ObjectRow, PolicyRow } from '../../src/domain/policy-row.js'
import { loadPolicyRules } from '../../src/policy/installation.js'
import { parsePolicyCsv } from '../../src/policy/csv.js'
import type { Snapshot } from '../../src/policy/snapshot.js'
import type { PolicyRules } from '../../src/policy/store.js'
import { relationsOf, universeOf } from '../../src/policy/table.js'

/** model.conf and policies/invariants.csv of this checkout. */
export const shippedRules = (): Promise<PolicyRules> => loadPolicyRules(PACKAGE_ROOT)

/** The rows of a policy file of this checkout. */
export const rowsOf = async (file: string): Promise<readonly PolicyRow[]> =>
  parsePolicyCsv(file, await readFile(new URL(`policies/${file}`, PACKAGE_ROOT), 'utf8')).rows

/** Rows out of CSV text, which must parse. */
export const csvRows = (text: string): readonly PolicyRow[] => parsePolicyCsv('test.csv', text).rows

// ── the interpreter: what model.conf says, in a few lines that share nothing with src/policy ──

export interface Answer {
  readonly effect: 'allow' | 'deny'
  readonly row: ObjectRow | null
}

const inherited = (rows: readonly PolicyRow[], role: string, seen = new Set([role])): ReadonlySet<string> => {
  for (const row of rows) {
    if (row.ptype === 'g' && row.role === role && !seen.has(row.inherits))
      inherited(rows, row.inherits, seen.add(row.inherits))
  }
  return seen
}

const isFor = (rows: readonly PolicyRow[], row: ObjectRow | EndpointRow, role: string, action: string): boolean =>
  (row.role === 'anyone' || (row.role === 'user' && role !== 'anonymous') || inherited(rows, role).has(row.role)) &&
  (row.action === '*' || row.action === action)

/** The first row that matches decides; where none does, deny. */
export const interpret = (rows: readonly PolicyRow[], role: string, action: string, relation: Relation): Answer => {
  const objects = rows.flatMap((row) => (row.ptype === 'p' ? [row] : [])).sort((a, b) => a.priority - b.priority)
  const row =
    objects.find((each) => isFor(rows, each, role, action) && (each.reach === 'any' || relation === 'own')) ?? null
  return { effect: row?.effect ?? 'deny', row }
}

export const interpretEndpoint = (rows: readonly PolicyRow[], role: string, action: string): boolean =>
  rows.some((row) => row.ptype === 'p2' && isFor(rows, row, role, action))

/** Every question of the decision table of some rows. */
export const questionsAbout = (
  ...sets: readonly (readonly PolicyRow[])[]
): readonly { readonly role: string; readonly action: string; readonly relation: Relation }[] => {
  const { roles, actions } = universeOf(...sets)
  return roles.flatMap((role) =>
    actions.flatMap((action) => relationsOf(role).map((relation) => ({ role, action, relation }))),
  )
}

// ── arbitrary rows over small vocabularies, so that they meet each other often ──

const ROLES = ['admin', 'editor', 'viewer', 'clerk', 'auditor'] as const
const action = fc.constantFrom('link:read', 'link:update', 'link:delete', 'doc:sign', '*' as const)
const anyRole = fc.constantFrom(...ROLES, 'anonymous', 'anyone', 'user')
/** Numbers on both sides of the places where texts and numbers sort differently. */
const priority = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 95, max: 105 }),
  fc.constantFrom(999, 1_000, 1_001, 999_999_999),
)

const objectRow: fc.Arbitrary<ObjectRow> = fc.record(
  {
    ptype: fc.constant('p' as const),
    priority,
    rule: fc.constantFrom('R1', 'R5', 'X-9', 'A'),
    role: anyRole,
    action,
    reach: fc.constantFrom('own' as const, 'any' as const),
    effect: fc.constantFrom('allow' as const, 'deny' as const),
  },
  { noNullPrototype: true },
)
const endpointRow: fc.Arbitrary<EndpointRow> = fc.record(
  { ptype: fc.constant('p2' as const), role: anyRole, action },
  { noNullPrototype: true },
)
const inheritanceRow: fc.Arbitrary<InheritanceRow> = fc
  .record(
    { ptype: fc.constant('g' as const), role: fc.constantFrom(...ROLES), inherits: fc.constantFrom(...ROLES, 'user') },
    { noNullPrototype: true },
  )
  .filter(({ role, inherits }) => role !== inherits)

export const policyRow: fc.Arbitrary<PolicyRow> = fc.oneof(
  { arbitrary: objectRow, weight: 4 },
  { arbitrary: endpointRow, weight: 1 },
  { arbitrary: inheritanceRow, weight: 2 },
)

/** Sets of rows as a table can hold them: no row twice, no priority twice. */
export const policyRows: fc.Arbitrary<readonly PolicyRow[]> = fc.uniqueArray(policyRow, {
  maxLength: 16,
  selector: (row) => (row.ptype === 'p' ? row.priority : JSON.stringify(row)),
})

// ── Casbin itself: every row in one plain enforcer with its own role manager, asked with real ids ──

/** Ids that are equal after rounding to a double, and only then. */
const REAL_IDS: Readonly<Record<Relation, { readonly id: string; readonly owner_id: string }>> = {
  anonymous: { id: '', owner_id: '9007199254740993' },
  own: { id: '9007199254740993', owner_id: '9007199254740993' },
  other: { id: '9007199254740993', owner_id: '9007199254740992' },
}

const texts = (row: PolicyRow): string[] => {
  if (row.ptype === 'g') return [row.role, row.inherits]
  return row.ptype === 'p2'
    ? [row.role, row.action]
    : [String(row.priority), row.rule, row.role, row.action, row.reach, row.effect]
}

/** A plain Casbin enforcer over rows, filled by casbin's own loading of an adapter. */
export const casbinOver = async (modelText: string, adapter: Adapter): Promise<Witness> => {
  const enforcer = await newEnforcer(newModelFromString(modelText))
  enforcer.setAdapter(adapter)
  // spelled out: with an adapter that says it is filtered, as casbin-pg-adapter does, newEnforcer loads nothing
  await enforcer.loadPolicy()
  const askEndpoint = (role: string, action: string) =>
    enforcer.enforceSync(new EnforceContext('r2', 'p2', 'e2', 'm2'), role, action)
  return {
    askEndpoint,
    ask: (role, action, relation) => {
      const { id, owner_id } = REAL_IDS[relation]
      const [allowed, row] = enforcer.enforceExSync({ role, id }, action, { owner_id })
      return { effect: allowed ? 'allow' : 'deny', priority: row[0] === undefined ? null : Number(row[0]) }
    },
  }
}

/** One that can be asked the questions of the decision table. */
export interface Witness {
  ask(
    role: string,
    action: string,
    relation: Relation,
  ): { readonly effect: 'allow' | 'deny'; readonly priority: number | null }
  askEndpoint(role: string, action: string): boolean
}

/** An adapter that gives Casbin these rows as policy lines, in this order. */
export const adapterOf = (rows: readonly PolicyRow[]): Adapter => ({
  loadPolicy: async (model) => {
    for (const row of rows) Helper.loadPolicyLine([row.ptype, ...texts(row)].join(', '), model)
  },
  savePolicy: async () => false,
  addPolicy: async () => {},
  removePolicy: async () => {},
  removeFilteredPolicy: async () => {},
})

export const snapshotWitness = (snapshot: Snapshot): Witness => ({
  askEndpoint: snapshot.mayCall,
  ask: (role, action, relation) => {
    const { effect, row } = snapshot.decideFor(role, action, relation)
    return { effect, priority: row?.priority ?? null }
  },
})

export const interpreterWitness = (rows: readonly PolicyRow[]): Witness => ({
  askEndpoint: (role, action) => interpretEndpoint(rows, role, action),
  ask: (role, action, relation) => {
    const { effect, row } = interpret(rows, role, action, relation)
    return { effect, priority: row?.priority ?? null }
  },
})

/**
 * Throws, naming the first question, where witnesses do not give one answer with one row to every question about the
 * rows.
 */
export const requireAgreement = (rows: readonly PolicyRow[], witnesses: Readonly<Record<string, Witness>>): number => {
  const questions = questionsAbout(rows)
  for (const { role, action, relation } of questions) {
    const answers = Object.entries(witnesses).map(([name, witness]) => ({
      name,
      answer: JSON.stringify([witness.ask(role, action, relation), witness.askEndpoint(role, action)]),
    }))
    if (new Set(answers.map(({ answer }) => answer)).size !== 1) {
      throw new Error(
        `${role} ${action} ${relation}: ${answers.map(({ name, answer }) => `${name} ${answer}`).join('; ')}`,
      )
    }
  }
  return questions.length
}
