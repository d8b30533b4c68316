import { isServiceAction } from '../domain/action.js'
import type { Deadline } from '../domain/deadline.js'
import type { Relation } from '../domain/decision.js'
import { pauseEvery } from '../domain/pause-every.js'
import type { InheritanceRow, ObjectRow, PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { describeLoop, loopThrough } from './inheritance.js'
import { narrowestCallers, redundancyOf } from './redundancy.js'
import { describeLoneRole, findLoneRoles, rolesInRow, type LoneRole } from './role-names.js'
import { byPriority, indexRows, rowsFor, type RowIndex } from './row-index.js'
import type { Snapshot } from './snapshot.js'
import { relationsOf, universeOf } from './table.js'

/** Something the author of a row should know about it. `by` and `stays` hold priorities of object rows. */
export type Finding =
  /**
   * The row decides no request. `by` lists the rows that decide instead; it is empty if no request can match the row.
   */
  | { readonly kind: 'unreachable'; readonly row: ObjectRow; readonly by: readonly number[] }
  /** Removing this row alone changes no effect: the rows in `stays` would decide the same. */
  | { readonly kind: 'redundant'; readonly row: PolicyRow; readonly stays: readonly number[]; readonly why: string }
  /** For some of the requests that the row matches, an earlier row decides with the other effect. */
  | { readonly kind: 'overridden'; readonly row: ObjectRow; readonly by: readonly number[] }
  | { readonly kind: 'unknown_action'; readonly row: PolicyRow; readonly name: string }
  /** No user has the role. `lone` is set if it is probably misspelt. */
  | { readonly kind: 'unknown_role'; readonly row: PolicyRow; readonly name: string; readonly lone: LoneRole | null }
  /**
   * The role is probably misspelt. Either nobody knows which roles users have, or other roles inherit from this one.
   */
  | { readonly kind: 'lone_role'; readonly row: PolicyRow; readonly name: string; readonly lone: LoneRole }
  /** The row closes a loop: its role inherits from itself, through these roles. */
  | { readonly kind: 'loop'; readonly row: InheritanceRow; readonly path: readonly string[] }

interface AnalysisOptions {
  /** the roles that users have; without them no role counts as unknown */
  readonly rolesInUse?: readonly string[] | undefined
  /** roles that are used elsewhere, such as in the rows before an edit */
  readonly knownRoles?: Iterable<string>
  /** called now and then with the fraction done, from 0 to 1 */
  readonly onProgress?: (part: number) => void
  /** past it, the analysis stops with `deadline_exceeded` */
  readonly deadline?: Deadline
}

/**
 * Finds useless and suspicious rows, in the order of the rows. Exact: it decides every request that can matter. Takes
 * nearly linear time in the number of rows; a row over `*` costs one decision for each action named by rows for
 * everybody.
 */
export const analyseRows = async (
  { rows }: Pick<Snapshot, 'rows'>,
  options: AnalysisOptions = {},
): Promise<readonly Finding[]> => {
  const { rolesInUse, knownRoles = [], deadline } = options
  // keep two rows of those that match the same requests: the one that decides, and the one that would decide without it
  const index = await indexRows(rows, 2)
  const findObjects = await analyseObjects(index, rows, options)
  const redundancy = redundancyOf(index, deadline)
  const { ancestors } = index.inheritance
  const known = rolesInUse && new Set(rolesInUse.flatMap((role) => [...ancestors(role).keys()]))
  const lone = new Map(findLoneRoles(rows, [...(rolesInUse ?? []), ...knownRoles]).map((each) => [each.role, each]))
  const pause = pauseEvery(500, deadline)
  const findings: Finding[] = []
  for (const row of rows) {
    await pause()
    if (row.ptype === 'p') findings.push(...findObjects(row))
    else {
      const why = row.ptype === 'p2' ? redundancy.ofEndpoint(row) : await redundancy.ofInheritance(row)
      if (why !== null) findings.push({ kind: 'redundant', row, stays: [], why })
    }
    if (row.ptype === 'g') {
      const path = loopThrough(index.inheritance, row)
      if (path !== null) findings.push({ kind: 'loop', row, path })
    }
    for (const name of rolesInRow(row)) {
      const found = lone.get(name) ?? null
      if (known && name === row.role && !Object.hasOwn(ENGINE_ROLES, name) && !known.has(name))
        findings.push({ kind: 'unknown_role', row, name, lone: found })
      else if (found) findings.push({ kind: 'lone_role', row, name, lone: found })
    }
    if (row.ptype !== 'g' && row.action !== '*' && !isServiceAction(row.action))
      findings.push({ kind: 'unknown_action', row, name: row.action })
  }
  return findings
}

/** What the analysis has learnt about one object row; the numbers are priorities of other rows. */
interface Notes {
  /** true if removing the row would change the decision of some request */
  isNeeded: boolean
  readonly stays: Set<number>
  readonly overriders: Set<number>
}

const analyseObjects = async (
  index: RowIndex,
  rows: readonly PolicyRow[],
  { onProgress, deadline }: AnalysisOptions,
): Promise<(row: ObjectRow) => readonly Finding[]> => {
  const matching = (role: string, action: string, relation: Relation): readonly ObjectRow[] =>
    rowsFor(index.objects, index.inheritance.rolesOf(role), action)
      .filter(({ reach }) => reach === 'any' || relation === 'own')
      .sort(byPriority)

  const notes = new Map<ObjectRow, Notes>()
  const notesOn = (row: ObjectRow): Notes => {
    const found = notes.get(row) ?? { isNeeded: false, stays: new Set(), overriders: new Set() }
    notes.set(row, found)
    return found
  }
  const { roles, actions } = universeOf(rows)
  const pause = pauseEvery(500, deadline)
  for (const [nth, role] of roles.entries()) {
    onProgress?.(nth / roles.length)
    for (const action of actionsThatDiffer(index, role, actions)) {
      await pause()
      for (const relation of relationsOf(role)) {
        const [first, second, ...others] = matching(role, action, relation)
        if (first === undefined) continue
        if ((second?.effect ?? 'deny') !== first.effect) notesOn(first).isNeeded = true
        else if (second) notesOn(first).stays.add(second.priority)
        for (const other of [second, ...others])
          if (other && other.effect !== first.effect) notesOn(other).overriders.add(first.priority)
      }
    }
  }

  /**
   * Null if the row decides some request. Trying its narrowest requests, for its own role and action, is enough: every
   * other request that it matches is matched by the same rows and more.
   */
  const shadowsOf = (row: ObjectRow): ReadonlySet<number> | null => {
    const shadows = new Set<number>()
    for (const caller of narrowestCallers(row.role)) {
      if (caller === ENGINE_ROLES.anonymous && row.reach === 'own') continue
      const [first] = matching(caller, row.action, row.reach === 'own' ? 'own' : 'other')
      if (first === undefined || first.priority === row.priority) return null
      shadows.add(first.priority)
    }
    return shadows
  }
  const sorted = (priorities: ReadonlySet<number>) => [...priorities].sort((a, b) => a - b)
  return (row) => {
    const shadows = shadowsOf(row)
    if (shadows !== null) return [{ kind: 'unreachable', row, by: sorted(shadows) }]
    const { isNeeded, stays, overriders } = notesOn(row)
    const why = `without it the effect stays ${row.effect}`
    return [
      ...(isNeeded ? [] : [{ kind: 'redundant', row, stays: sorted(stays), why } as const]),
      ...(overriders.size === 0 ? [] : [{ kind: 'overridden', row, by: sorted(overriders) } as const]),
    ]
  }
}

/** The actions for which a role's decisions can differ from those of the role `user`. */
const actionsThatDiffer = ({ objects, inheritance }: RowIndex, role: string, actions: readonly string[]) => {
  if (role === ENGINE_ROLES.anonymous || role === ENGINE_ROLES.user) return actions
  const named = new Set(
    [...inheritance.ancestors(role).keys()].flatMap((name) => [...(objects.get(name)?.keys() ?? [])]),
  )
  return named.has('*') ? actions : named
}

const MAX_NAMED = 8
const listOf = (priorities: readonly number[]): string => {
  const shown = priorities.slice(0, MAX_NAMED).join(', ')
  const more = priorities.length > MAX_NAMED ? ` and ${priorities.length - MAX_NAMED} more` : ''
  return `${priorities.length === 1 ? 'row' : 'rows'} ${shown}${more}`
}

/** A finding in words for the author of the row. */
export const describeFinding = (finding: Finding): string => {
  switch (finding.kind) {
    case 'unreachable':
      return `unreachable: ${finding.by.length === 0 ? 'no request can match it' : `shadowed by ${listOf(finding.by)}`}`
    case 'redundant': {
      const stays = finding.stays.length === 0 ? 'no row would match' : listOf(finding.stays)
      return `redundant: ${finding.why}${finding.row.ptype === 'p' ? ` (${stays})` : ''}`
    }
    case 'overridden':
      return `partly overridden by ${listOf(finding.by)}, with the other effect`
    case 'unknown_role': {
      const why = finding.lone ? `, and ${describeLoneRole(finding.lone)}` : ''
      return `warning: no user has the role ${finding.name}${why}`
    }
    case 'lone_role':
      return `warning: ${describeLoneRole(finding.lone)}`
    case 'loop':
      return `warning: ${describeLoop(finding.path)}`
    case 'unknown_action':
      return `warning: no route has the action ${finding.name}`
  }
}
