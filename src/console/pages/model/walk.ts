import type { Question } from '../../../domain/decision-table.js'
import type { Relation } from '../../../domain/decision.js'
import type { EndpointRow, ObjectRow, PolicyRow } from '../../../domain/policy-row.js'
import { walkMatcher, type Given, type Step } from './matcher.js'

interface WalkedRow<Row> {
  readonly row: Row
  readonly step: Step
}

/** The rows in order up to the first match, each with the steps of the matcher. */
export interface Walk<Row> {
  readonly rows: readonly WalkedRow<Row>[]
  /** the last of them, if it matches */
  readonly match: Row | null
  readonly notReached: number
}

/** Sample ids for each relation; which ones makes no difference. */
const IDS: Readonly<Record<Relation, readonly [id: string, owner: string]>> = {
  anonymous: ['', '2'],
  own: ['7', '7'],
  other: ['7', '2'],
}

const walkRows = <Row>(rows: readonly Row[], stepOf: (row: Row) => Step): Walk<Row> => {
  const walked: WalkedRow<Row>[] = []
  for (const row of rows) {
    const step = stepOf(row)
    walked.push({ row, step })
    if (step.value === true) return { rows: walked, match: row, notReached: rows.length - walked.length }
  }
  return { rows: walked, match: null, notReached: 0 }
}

type Inherits = Given['inherits']

/** Evaluates the object rows with the matcher `m`. Throws SyntaxError if it is invalid. */
export const walkObject = (
  matcher: string,
  rows: readonly PolicyRow[],
  { role, action, relation }: Question,
  inherits: Inherits,
): Walk<ObjectRow> => {
  const [id, owner] = IDS[relation]
  const request = { 'r.sub.role': role, 'r.sub.id': id, 'r.act': action, 'r.obj.owner_id': owner }
  const objects = rows.flatMap((row) => (row.ptype === 'p' ? [row] : [])).sort((a, b) => a.priority - b.priority)
  return walkRows(objects, (row) =>
    walkMatcher(matcher, {
      names: { ...request, 'p.role': row.role, 'p.action': row.action, 'p.reach': row.reach },
      inherits,
    }),
  )
}

/** Evaluates the endpoint rows with the matcher `m2`. Throws SyntaxError if it is invalid. */
export const walkEndpoint = (
  matcher: string,
  rows: readonly PolicyRow[],
  { role, action }: Question,
  inherits: Inherits,
): Walk<EndpointRow> => {
  const request = { 'r2.role': role, 'r2.act': action }
  const endpoints = rows.flatMap((row) => (row.ptype === 'p2' ? [row] : []))
  return walkRows(endpoints, (row) =>
    walkMatcher(matcher, { names: { ...request, 'p2.role': row.role, 'p2.action': row.action }, inherits }),
  )
}
