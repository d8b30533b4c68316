import type { PoolClient } from 'pg'

import type { Relation } from '../domain/decision.js'
import type { Effect } from '../domain/policy-row.js'

/** The answer of the policy: the rule of a row, `default`, or the code of the layer that refused. */
export interface PolicyAnswer {
  readonly effect: Effect
  readonly rule: string
}

/** Recorded decisions with the same question and the same answer. `role` is the caller's role at the time. */
export interface DecisionGroup {
  readonly role: string
  readonly action: string
  readonly relation: Relation
  readonly layer: 'endpoint' | 'object'
  readonly count: number
  readonly before: PolicyAnswer
}

/** The number of decisions about one user; id null: about callers without a user. */
interface SubjectCount {
  readonly id: string | null
  readonly count: number
}

/** `from` is inclusive, `to` is not. */
interface Period {
  readonly from: Date
  readonly to: Date
}

/** The most users that one group lists. */
const MOST_SUBJECTS = 100

const QUESTION = 'subject_role, action, relation, layer, effect, rule'
const BY_POLICY = `time >= $1 and time < $2 and kind = 'decision' and layer in ('endpoint', 'object')`

/** Every question that the policy answered in a period, by answer and with counts, the most frequent first. */
export const readGroups = async (client: PoolClient, { from, to }: Period): Promise<readonly DecisionGroup[]> => {
  const { rows } = await client.query<DecisionGroup>(
    `select subject_role as role, action, relation, layer, count(*)::float as count,
            json_build_object('effect', effect, 'rule', rule) as before
       from decisions where ${BY_POLICY} group by ${QUESTION} order by count(*) desc, ${QUESTION}`,
    [from, to],
  )
  return rows
}

const GROUPS = `groups as (
       select * from rows from (jsonb_to_recordset($3::jsonb)
         as (role text, action text, relation text, layer text, effect text, rule text, after jsonb)) with ordinality
         as g(subject_role, action, relation, layer, effect, rule, after, nth)
     )`

const questionsOf = (groups: readonly DecisionGroup[]) =>
  JSON.stringify(groups.map(({ before, ...group }) => ({ ...group, ...before })))

/** A recorded decision whose answer would change. */
export interface Example {
  readonly time: Date
  readonly request_id: string
  readonly subject: { readonly id: string | null; readonly role: string }
  readonly action: string
  readonly resource: { readonly type: string; readonly code: string | null }
  readonly before: PolicyAnswer
  readonly after: PolicyAnswer | null
}

/** The newest decisions of these groups. */
export const readExamples = async (
  client: PoolClient,
  { from, to }: Period,
  groups: readonly (DecisionGroup & { readonly after: PolicyAnswer | null })[],
  most: number,
): Promise<readonly Example[]> => {
  if (groups.length === 0) return []
  const { rows } = await client.query<Example>(
    `with ${GROUPS}
     select time, request_id, json_build_object('id', subject_id::text, 'role', subject_role) as subject, action,
            json_build_object('type', resource_type, 'code', resource_code) as resource,
            json_build_object('effect', effect, 'rule', rule) as before, after
       from decisions join groups using (${QUESTION}) where ${BY_POLICY} order by decisions.id desc limit $4`,
    [from, to, questionsOf(groups), most],
  )
  return rows
}

/**
 * For each of the first `listed` groups, its users with the most decisions; and the number of users that the first
 * `counted` groups have together.
 */
export const readSubjects = async (
  client: PoolClient,
  { from, to }: Period,
  groups: readonly DecisionGroup[],
  { listed, counted }: { readonly listed: number; readonly counted: number },
) => {
  if (groups.length === 0) return { users: 0, ofGroup: () => ({ users: 0, subjects: [] }) }
  const { rows } = await client.query<SubjectCount & { readonly nth: number; readonly users: number }>(
    `with ${GROUPS}, subjects as (
       select nth, subject_id, count(*) as count from decisions join groups using (${QUESTION})
        where ${BY_POLICY} group by nth, subject_id
     ), ranked as (
       select nth, subject_id, count, count(subject_id) over (partition by nth) as users,
              row_number() over (partition by nth order by count desc, subject_id) as place
         from subjects where nth <= $4
     )
     select nth::int, subject_id as id, count::float, users::float from ranked where place <= $5
      union all
     select 0, null, 0, count(distinct subject_id) filter (where nth <= $6) from subjects
      order by nth, count desc, id`,
    [from, to, questionsOf(groups), listed, MOST_SUBJECTS, counted],
  )
  return {
    users: rows[0]?.users ?? 0,
    ofGroup: (i: number) => {
      const found = rows.filter(({ nth }) => nth === i + 1)
      return { users: found[0]?.users ?? 0, subjects: found.map(({ id, count }) => ({ id, count })) }
    },
  }
}
