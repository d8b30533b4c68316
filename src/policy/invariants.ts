import type { Relation } from '../domain/decision.js'
import type { Fault } from '../domain/refusal.js'
import { isAction } from '../domain/action.js'
import { isRoleName } from '../domain/role.js'
import type { ObjectRow } from '../domain/policy-row.js'
import { PolicyError, describeFaults } from './policy-error.js'
import { parseCsvRecords } from './row-csv.js'
import type { Snapshot } from './snapshot.js'
import { cellsOf, universeOf } from './table.js'
import type { Cell } from './table.js'

/** One line of policies/invariants.csv: what no edit may ever make untrue. */
export interface Invariant {
  readonly kind: 'never' | 'always'
  readonly name: string
  readonly role: Pattern
  readonly action: Pattern
  readonly relation: Relation | '*'
  readonly why: string
}

/** `x` covers x, `!x` all but x, `*` all. */
interface Pattern { readonly text: string; readonly covers: (value: string) => boolean }

/** An invariant that a snapshot breaks, with the first decision and row that break it. */
export interface Violation { readonly invariant: Invariant; readonly cell: Cell; readonly row: ObjectRow | null }

const pattern = (text: string, isName: (name: string) => boolean): Pattern | null => {
  if (text === '*') return { text, covers: () => true }
  const name = text.replace(/^!/, '')
  if (!isName(name)) return null
  return { text, covers: (value) => (value === name) !== text.startsWith('!') }
}

const RELATIONS: readonly string[] = ['anonymous', 'own', 'other', '*']
const isRelation = (text: string): text is Relation | '*' => RELATIONS.includes(text)

/** Reads policies/invariants.csv. Throws PolicyError naming each line that does not parse: an invariant is never skipped. */
export const parseInvariants = (text: string): readonly Invariant[] => {
  const records = parseCsvRecords(text)
  if (!records.ok) throw new PolicyError(`policies/invariants.csv: ${describeFaults(records.faults)}`)
  const faults: Fault[] = []
  const invariants = records.value.flatMap(({ line, fields: [kind = '', name = '', role = '', action = '', relation = '', ...why] }): Invariant[] => {
    const rolePattern = pattern(role, isRoleName)
    const actionPattern = pattern(action, isAction)
    const fault = (message: string) => {
      faults.push({ field: `line ${line}`, message })
      return []
    }
    if (kind !== 'never' && kind !== 'always') return fault('kind must be never or always')
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) return fault('name must be of [a-z0-9-]')
    if (!rolePattern) return fault('role must be a role, !role or *')
    if (!actionPattern) return fault('action must be an action, !action or *')
    if (!isRelation(relation)) return fault('relation must be anonymous, own, other or *')
    return [{ kind, name, role: rolePattern, action: actionPattern, relation, why: why.join(', ') }]
  })
  if (faults.length > 0) throw new PolicyError(`policies/invariants.csv: ${describeFaults(faults)}`)
  return invariants
}

const breaks = ({ kind, role, action, relation }: Invariant, cell: Cell): boolean => {
  if (!role.covers(cell.role) || !action.covers(cell.action) || (relation !== '*' && relation !== cell.relation)) return false
  // `always` promises that the thing can be done: both layers that decide by rows must let it through
  return kind === 'never' ? cell.effect === 'allow' : cell.effect === 'deny' || cell.endpoint === 'deny'
}

/** Asks every invariant of every decision that the rows can make. Answers the first violation of each that is broken. */
export const findViolations = async (snapshot: Snapshot, invariants: readonly Invariant[]): Promise<readonly Violation[]> => {
  const universe = universeOf(snapshot.rows)
  const covered = {
    roles: universe.roles.filter((role) => invariants.some((each) => each.role.covers(role))),
    actions: universe.actions.filter((action) => invariants.some((each) => each.action.covers(action))),
  }
  const found = new Map<string, Violation>()
  for await (const cell of cellsOf(snapshot, covered)) {
    for (const invariant of invariants) {
      if (!found.has(invariant.name) && breaks(invariant, cell)) {
        found.set(invariant.name, { invariant, cell, row: snapshot.decideFor(cell.role, cell.action, cell.relation).row })
      }
    }
  }
  return [...found.values()]
}

/** One line for a person: which invariant, which decision, by which row, and which file says so. */
export const describeViolation = ({ invariant, cell, row }: Violation): string => {
  const by = cell.endpoint === 'deny' && cell.effect === 'allow' ? 'no endpoint row lets it through'
    : row === null ? 'no row matches' : `row ${row.priority} (${row.rule}) decides`
  return `invariant ${invariant.name} (${invariant.why}): ${cell.role} would be ${cell.effect === 'allow' && cell.endpoint === 'deny' ? 'refused' : cell.effect === 'allow' ? 'allowed' : 'denied'} ${cell.action} on ${cell.relation} records; ${by}. Invariants change in policies/invariants.csv alone.`
}
