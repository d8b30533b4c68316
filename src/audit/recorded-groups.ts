import type { PoolClient } from 'pg'

import type { Relation } from '../domain/decision.js'
import type { RecordedGroup } from '../policy/replay.js'

/** A stretch of the log; from is inclusive, to is not. */
export interface Window {
  readonly from: Date
  readonly to: Date
}

/** One whom a group's decisions are about; null: callers without a user. */
export interface Touched {
  readonly id: string | null
  readonly count: number
}

/** Users that one group names at the most; those with the most decisions. */
export const MOST_SUBJECTS = 100

const within = (d: string) =>
  `${d}time >= $1 and ${d}time < $2 and ${d}kind = 'decision' and ${d}layer in ('endpoint', 'object')`

interface GroupRow {
  readonly role: string
  readonly action: string
  readonly relation: Relation
  readonly layer: 'endpoint' | 'object'
  readonly effect: 'allow' | 'deny'
  readonly rule: string
  readonly count: string
}

/** Every question that the policy answered in a window, with each answer and how often; as the role audit_reader. */
export const readGroups = async (client: PoolClient, { from, to }: Window): Promise<readonly RecordedGroup[]> => {
  const { rows } = await client.query<GroupRow>(
    `select subject_role as role, action, relation, layer, effect, rule, count(*) from decisions where ${within('')}
      group by subject_role, action, relation, layer, effect, rule order by count(*) desc, subject_role, action, relation, layer, effect, rule`,
    [from, to],
  )
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

export interface TouchedGroups {
  /** users in the groups that were to be counted, each once */
  readonly subjects: number
  /** for each of the listed groups, in their order */
  readonly touched: readonly { readonly subjects: number; readonly most: readonly Touched[] }[]
}

interface TouchedRow {
  readonly nth: string
  readonly subject_id: string | null
  readonly count: string
  readonly subjects: string
}

/**
 * Whom some groups are about: for the first `listed` of them one by one, and for the first `counted` how many users in
 * all.
 */
export const readTouched = async (
  client: PoolClient,
  { from, to }: Window,
  groups: readonly RecordedGroup[],
  { listed, counted }: { readonly listed: number; readonly counted: number },
): Promise<TouchedGroups> => {
  if (groups.length === 0) return { subjects: 0, touched: [] }
  const { rows: all } = await client.query<TouchedRow>(
    `with asked as (select * from rows from (jsonb_to_recordset($3::jsonb) as (role text, action text, relation text, layer text, effect text, rule text)) with ordinality as a(role, action, relation, layer, effect, rule, nth)),
     touched as (
       select a.nth, d.subject_id, count(*) as count from decisions d
         join asked a on (a.role, a.action, a.relation, a.layer, a.effect, a.rule) = (d.subject_role, d.action, d.relation, d.layer, d.effect, d.rule)
        where ${within('d.')} group by a.nth, d.subject_id),
     ranked as (
       select nth, subject_id, count, count(subject_id) over (partition by nth) as subjects, row_number() over (partition by nth order by count desc, subject_id) as place
         from touched where nth <= $4)
     select nth, subject_id, count, subjects from ranked where place <= $5
      union all select 0, null, 0, count(distinct subject_id) filter (where nth <= $6) from touched
      order by nth, count desc, subject_id`,
    [from, to, JSON.stringify(groups), listed, MOST_SUBJECTS, counted],
  )
  const touched = groups.slice(0, listed).map((_, i) => {
    const rows = all.filter(({ nth }) => Number(nth) === i + 1)
    return {
      subjects: Number(rows[0]?.subjects ?? 0),
      most: rows.map(({ subject_id, count }): Touched => ({ id: subject_id, count: Number(count) })),
    }
  })
  return { subjects: Number(all.find(({ nth }) => nth === '0')?.subjects ?? 0), touched }
}
