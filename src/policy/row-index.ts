import { pauseEvery } from '../domain/pause-every.js'
import type { EndpointRow, ObjectRow, PolicyRow } from '../domain/policy-row.js'
import { createInheritance, type Inheritance } from './inheritance.js'
import { PolicyError } from './policy-error.js'

/** Rows by role and action. */
type Table<Row> = Map<string, Map<string, Row[]>>

export interface RowIndex {
  readonly objects: Table<ObjectRow>
  readonly endpoints: Table<EndpointRow>
  readonly inheritance: Inheritance
}

/**
 * Indexes rows. Object rows with the same role, action and reach match the same requests, so only the first `kept` of
 * each such group are kept. Throws PolicyError if two object rows have the same priority.
 */
export const indexRows = async (rows: readonly PolicyRow[], kept: number): Promise<RowIndex> => {
  const pause = pauseEvery(1_000)
  const objects: Table<ObjectRow> = new Map()
  let last = 0
  for (const row of rows.filter((row) => row.ptype === 'p').sort(byPriority)) {
    await pause()
    if (row.priority === last) throw new PolicyError(`two object rows have the priority ${last}`)
    last = row.priority
    const group = groupOf(objects, row)
    if (group.filter(({ reach }) => reach === row.reach).length < kept) group.push(row)
  }
  const endpoints: Table<EndpointRow> = new Map()
  for (const row of rows) if (row.ptype === 'p2') groupOf(endpoints, row)[0] = row
  return { objects, endpoints, inheritance: createInheritance(rows.filter((row) => row.ptype === 'g')) }
}

const groupOf = <Row extends ObjectRow | EndpointRow>(table: Table<Row>, { role, action }: Row): Row[] => {
  const ofRole = table.get(role) ?? new Map<string, Row[]>()
  const group = ofRole.get(action) ?? []
  table.set(role, ofRole.set(action, group))
  return group
}

/** The rows of some roles that match an action. */
export const rowsFor = <Row>(table: Table<Row>, roles: Iterable<string>, action: string): Row[] => {
  const found: Row[] = []
  const actions = new Set([action, '*'])
  for (const role of roles) {
    const ofRole = table.get(role)
    if (ofRole) for (const each of actions) found.push(...(ofRole.get(each) ?? []))
  }
  return found
}

export const byPriority = (a: ObjectRow, b: ObjectRow): number => a.priority - b.priority
