import { isServiceAction } from '../domain/action.js'
import type { InheritanceRow, ObjectRow, PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { indexForAnalysis } from './analysis-index.js'
import type { AnalysisIndex } from './analysis-index.js'
import type { Snapshot } from './snapshot.js'
import { relationsOf, universeOf } from './table.js'

/** What is to be said of one row. `by` and `stays` are priorities of object rows. */
export type Finding =
  /** no request is decided by the row; `by` are the rows that decide instead, none where no request can match it */
  | { readonly kind: 'unreachable'; readonly row: ObjectRow; readonly by: readonly number[] }
  /** taking this one row away changes no effect; what stays decides the same */
  | { readonly kind: 'redundant'; readonly row: PolicyRow; readonly stays: readonly number[]; readonly why: string }
  /** some requests that the row matches are decided the other way by earlier rows */
  | { readonly kind: 'overridden'; readonly row: ObjectRow; readonly by: readonly number[] }
  | { readonly kind: 'unknown_role'; readonly row: PolicyRow; readonly name: string }
  | { readonly kind: 'unknown_action'; readonly row: PolicyRow; readonly name: string }

export interface AnalysisOptions {
  /** the roles that users have; without them no role is called unknown */
  readonly rolesInUse?: readonly string[]
  /** told now and then: how far it is, from 0 to 1 */
  readonly onProgress?: (part: number) => void
}

/** How many questions are asked before the event loop gets its turn again. */
const SLICE = 500

/**
 * Says of every row what it is good for: exact, by asking every request that can matter. Near linear in the rows; rows
 * over `*` cost a question for each action that rows for everybody name. Findings stand in the order of the rows.
 */
export const analyseRows = async (
  { rows }: Pick<Snapshot, 'rows'>,
  { rolesInUse, onProgress }: AnalysisOptions = {},
): Promise<readonly Finding[]> => {
  const index = await indexForAnalysis(rows)
  const objects = await objectFindings(index, rows, onProgress)
  const known = rolesInUse && new Set(rolesInUse.flatMap((role) => [...index.inheritance.ancestors(role).keys()]))
  const findings: Finding[] = []
  for (const [i, row] of rows.entries()) {
    if (i % SLICE === SLICE - 1) await new Promise(setImmediate)
    if (row.ptype === 'p') findings.push(...(objects.get(row) ?? []))
    else if (row.ptype === 'p2') {
      const twin = index.endpointTwin(row)
      if (twin !== null) findings.push({ kind: 'redundant', row, stays: [], why: twin })
    } else {
      const why = await uselessInheritance(index, row)
      if (why !== null) findings.push({ kind: 'redundant', row, stays: [], why })
    }
    findings.push(...unknownNames(row, known))
  }
  return findings
}

const unknownNames = function* (row: PolicyRow, known: ReadonlySet<string> | undefined): Generator<Finding> {
  if (known && !Object.hasOwn(ENGINE_ROLES, row.role) && !known.has(row.role))
    yield { kind: 'unknown_role', row, name: row.role }
  if (row.ptype !== 'g' && row.action !== '*' && !isServiceAction(row.action))
    yield { kind: 'unknown_action', row, name: row.action }
}

/**
 * Object rows, by one walk over the requests. A row that decides nothing at its narrowest request (its own role, its
 * own action) decides nothing at all: every other request that it matches is matched by the same rows and more. What a
 * removal would change, and who overrides whom, is asked of every request that differs.
 */
const objectFindings = async (
  index: AnalysisIndex,
  rows: readonly PolicyRow[],
  onProgress?: (part: number) => void,
): Promise<ReadonlyMap<ObjectRow, readonly Finding[]>> => {
  const needed = new Set<ObjectRow>()
  const stays = new Map<ObjectRow, Set<number>>()
  const overriders = new Map<ObjectRow, Set<number>>()
  const note = (notes: Map<ObjectRow, Set<number>>, row: ObjectRow, priority: number | undefined) => {
    const known = notes.get(row)
    if (known === undefined) notes.set(row, new Set(priority === undefined ? [] : [priority]))
    else if (priority !== undefined) known.add(priority)
  }
  const { roles, actions } = universeOf(rows)
  let asked = 0
  for (const [nth, role] of roles.entries()) {
    for (const action of index.actionsThatDiffer(role, actions)) {
      if (++asked % SLICE === 0) {
        await new Promise(setImmediate)
        onProgress?.(nth / roles.length)
      }
      for (const relation of relationsOf(role)) {
        const [first, ...others] = index.matching(role, action, relation)
        if (first === undefined) continue
        const [second] = others
        if ((second?.effect ?? 'deny') === first.effect) note(stays, first, second?.priority)
        else needed.add(first)
        for (const other of others) if (other.effect !== first.effect) note(overriders, other, first.priority)
      }
    }
  }
  const found = new Map<ObjectRow, readonly Finding[]>()
  const ascending = (priorities: Iterable<number>) => [...priorities].sort((a, b) => a - b)
  for (const row of rows) {
    if (row.ptype !== 'p') continue
    const shadows = index.shadowsOf(row)
    const findings: Finding[] = []
    if (shadows !== null) findings.push({ kind: 'unreachable', row, by: ascending(shadows) })
    else {
      const remaining = stays.get(row)
      if (!needed.has(row))
        findings.push({
          kind: 'redundant',
          row,
          stays: ascending(remaining ?? []),
          why: `without it the effect stays ${row.effect}`,
        })
      const by = overriders.get(row)
      if (by !== undefined) findings.push({ kind: 'overridden', row, by: ascending(by) })
    }
    found.set(row, findings)
  }
  return found
}

/** Why an inheritance row changes no effect; null where it changes one. Stops at the first difference. */
const uselessInheritance = async (
  { inheritance, rolesWithRows, heirs, effectDiffers }: AnalysisIndex,
  row: InheritanceRow,
): Promise<string | null> => {
  if (row.inherits === ENGINE_ROLES.user) return 'every role of a signed-in user has the rows of user in any case'
  const without = reachableWithout(inheritance.parents, row)
  const lost = [...inheritance.ancestors(row.role).keys()].filter(
    (role) => !without.has(role) && rolesWithRows.has(role),
  )
  if (![...inheritance.ancestors(row.role).keys()].some((role) => !without.has(role)))
    return `${row.role} inherits ${row.inherits} over another role as well`
  if (lost.length === 0) return `${row.inherits} has no rows to inherit`
  let asked = 0
  for (const heir of heirs(row.role)) {
    const before = inheritance.ancestors(heir)
    const after = reachableWithout(inheritance.parents, row, heir)
    const gone = lost.filter((role) => before.has(role) && !after.has(role))
    for (const difference of effectDiffers(heir, gone, after)) {
      if (difference) return null
      if (++asked % SLICE === 0) await new Promise(setImmediate)
    }
  }
  return 'every effect stays what it is without it'
}

const reachableWithout = (
  parents: ReadonlyMap<string, readonly string[]>,
  { role, inherits }: InheritanceRow,
  from = role,
): ReadonlySet<string> => {
  const reached = new Set([from])
  for (const name of reached) {
    for (const parent of parents.get(name) ?? []) if (name !== role || parent !== inherits) reached.add(parent)
  }
  return reached
}
