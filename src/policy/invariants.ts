import type { Relation } from '../domain/decision.js'
import type { Fault } from '../domain/refusal.js'
import { isAction } from '../domain/action.js'
import { ENGINE_ROLES, isRoleName } from '../domain/role.js'
import type { ObjectRow } from '../domain/policy-row.js'
import { PolicyError, describeFaults } from './policy-error.js'
import { parseCsvRecords } from './row-csv.js'
import type { Snapshot } from './snapshot.js'
import { cellFor, relationsOf, universeOf } from './table.js'
import type { Cell, Universe } from './table.js'

/** One line of policies/invariants.csv: what no edit may ever make untrue. */
export interface Invariant {
  readonly kind: 'never' | 'always'
  readonly name: string
  readonly role: Pattern
  readonly action: Pattern
  readonly relation: Relation | '*'
  readonly why: string
}

/** `x` covers x, also where no row names it; `!x` all but x, `*` all. */
interface Pattern {
  readonly text: string
  among(values: readonly string[]): readonly string[]
}

/** An invariant that a snapshot breaks, with the first decision and row that break it. */
export interface Violation {
  readonly invariant: Invariant
  readonly cell: Cell
  readonly row: ObjectRow | null
}

const pattern = (text: string, isName: (name: string) => boolean): Pattern | null => {
  if (text === '*') return { text, among: (values) => values }
  const name = text.replace(/^!/, '')
  if (!isName(name)) return null
  return text === name
    ? { text, among: () => [name] }
    : { text, among: (values) => values.filter((value) => value !== name) }
}

/** `anyone` is no caller's role, so a line about it would cover nothing. */
const isCaller = (name: string) => isRoleName(name) && name !== ENGINE_ROLES.anyone

const RELATIONS: ReadonlySet<string> = new Set(['anonymous', 'own', 'other', '*'])
const isRelation = (text: string): text is Relation | '*' => RELATIONS.has(text)

/**
 * Reads policies/invariants.csv. Throws PolicyError naming each line that does not parse: an invariant is never
 * skipped.
 */
export const parseInvariants = (text: string): readonly Invariant[] => {
  const records = parseCsvRecords(text)
  if (!records.ok) throw new PolicyError(`policies/invariants.csv: ${describeFaults(records.faults)}`)
  const faults: Fault[] = []
  const invariants = records.value.flatMap(
    ({ line, fields: [kind = '', name = '', role = '', action = '', relation = '', ...why] }): Invariant[] => {
      const rolePattern = pattern(role, isCaller)
      const actionPattern = pattern(action, isAction)
      const fault = (message: string) => {
        faults.push({ field: `line ${line}`, message })
        return []
      }
      if (kind !== 'never' && kind !== 'always') return fault('kind must be never or always')
      if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) return fault('name must be of [a-z0-9-]')
      if (!rolePattern) return fault('role must be a role that a caller can have, !role or *')
      if (!actionPattern) return fault('action must be an action, !action or *')
      if (!isRelation(relation)) return fault('relation must be anonymous, own, other or *')
      return [{ kind, name, role: rolePattern, action: actionPattern, relation, why: why.join(', ') }]
    },
  )
  if (faults.length > 0) throw new PolicyError(`policies/invariants.csv: ${describeFaults(faults)}`)
  return invariants
}

/** How many roles and actions are asked of before the event loop gets its turn again. */
const SLICE = 200

const covers = (invariant: Invariant, relation: Relation): boolean =>
  invariant.relation === '*' || invariant.relation === relation

/**
 * Asks no more than the invariant is about: every process does so for each revision, before it comes in force there.
 */
const breaks = (
  { kind }: Invariant,
  { engine }: Snapshot,
  role: string,
  action: string,
  relation: Relation,
): boolean => {
  const { allowed } = engine.ask(role, action, relation)
  // `always` promises that the thing can be done: both layers that decide by rows must let it through
  return kind === 'never' ? allowed : !allowed || !engine.askEndpoint(role, action)
}

const findViolation = async (
  snapshot: Snapshot,
  invariant: Invariant,
  universe: Universe,
): Promise<Violation | null> => {
  let asked = 0
  for (const role of invariant.role.among(universe.roles)) {
    const relations = relationsOf(role).filter((relation) => covers(invariant, relation))
    for (const action of invariant.action.among(universe.actions)) {
      if (++asked % SLICE === 0) await new Promise(setImmediate)
      const broken = relations.find((relation) => breaks(invariant, snapshot, role, action, relation))
      if (broken !== undefined)
        return {
          invariant,
          cell: cellFor(snapshot.engine, role, action, broken),
          row: snapshot.engine.ask(role, action, broken).row,
        }
    }
  }
  return null
}

/**
 * Asks every invariant of every decision that it covers. Answers the first violation of each that is broken. Names that
 * only an invariant holds are asked for as well: a user may have a role that no row names.
 */
export const findViolations = async (
  snapshot: Snapshot,
  invariants: readonly Invariant[],
): Promise<readonly Violation[]> => {
  const universe = universeOf(snapshot.rows)
  const found: Violation[] = []
  for (const invariant of invariants) {
    const violation = await findViolation(snapshot, invariant, universe)
    if (violation) found.push(violation)
  }
  return found
}

const SCOPE: Readonly<Record<Relation, string>> = {
  anonymous: 'without a user',
  own: 'on own records',
  other: 'on other records',
}

/** One line for a person: which invariant, which decision, by which row, and which file says so. */
export const describeViolation = ({ invariant, cell, row }: Violation): string => {
  const shut = invariant.kind === 'always' && cell.effect === 'allow'
  const by = shut
    ? 'no endpoint row lets it through'
    : row === null
      ? 'no row matches'
      : `row ${row.priority} (${row.rule}) decides`
  const outcome = shut ? 'refused' : cell.effect === 'allow' ? 'allowed' : 'denied'
  return `invariant ${invariant.name} (${invariant.why}): ${cell.role} would be ${outcome} ${cell.action} ${SCOPE[cell.relation]}; ${by}. Invariants change in policies/invariants.csv alone.`
}
