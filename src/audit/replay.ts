import type { Database } from '../database/database.js'
import { SQLSTATE, sqlState } from '../database/errors.js'
import type { Effect } from '../domain/policy-row.js'
import { Refusal } from '../domain/refusal.js'
import type { ReplayWindow } from '../domain/replay-window.js'
import type { Snapshot } from '../policy/snapshot.js'
import { relationsOf } from '../policy/table.js'
import { readExamples, readGroups, readSubjects, type DecisionGroup, type PolicyAnswer } from './decision-groups.js'
import { REFUSED_BY_ROUTE } from './refused-by-route.js'
import { readLog } from './read-log.js'

/** The effect that an edit would have had on the recorded decisions of a window. */
export type Replay = Awaited<ReturnType<typeof replay>>

export interface ReplayOptions extends ReplayWindow {
  readonly inForce: Snapshot
  readonly candidate: Snapshot
  /** milliseconds for reading the log; beyond that, `validation_failed` asks for a shorter window */
  readonly budgetMs: number
  /** the end of the window; default: now */
  readonly until?: Date | undefined
}

/** The most groups in a response: the largest ones. */
const MOST_LISTED = 200
/** The most example decisions in a response: the newest whose answer changes. */
const MOST_EXAMPLES = 20

/**
 * Re-evaluates the recorded decisions of a window. Exact: records with the same question and the same answer are
 * evaluated once for all; nothing is sampled.
 */
export const replay = async (
  database: Database,
  { window, minutes, inForce, candidate, budgetMs, until: to = new Date() }: ReplayOptions,
) => {
  const period = { from: new Date(to.getTime() - minutes * 60_000), to }
  const deadline = performance.now() + budgetMs
  return readLog(database, async (client) => {
    const withinBudget = async <T>(read: () => Promise<T>): Promise<T> => {
      const left = Math.max(1, Math.round(deadline - performance.now()))
      await client.query(`select set_config('statement_timeout', $1, true)`, [String(left)])
      return read().catch((error: unknown) => {
        throw sqlState(error) === SQLSTATE.queryCanceled ? tooMany(window, error) : error
      })
    }
    const recorded = await withinBudget(() => readGroups(client, period))
    const groups = recorded.map((group) => ({
      ...group,
      in_force: decideAgain(inForce, group),
      after: decideAgain(candidate, group),
    }))
    const turned = groups.filter(({ before, after }) => after !== null && after.effect !== before.effect)
    const byOtherRule = groups.filter(({ before, after }) => after?.effect === before.effect && !isSame(before, after))
    const undetermined = groups.filter(({ after }) => after === null)
    const affected = [...turned, ...byOtherRule, ...undetermined]
    const subjects = await withinBudget(() =>
      readSubjects(client, period, affected, { listed: MOST_LISTED, counted: turned.length }),
    )
    const examples = await withinBudget(() => readExamples(client, period, turned, MOST_EXAMPLES))
    const countFrom = (effect: Effect) => total(turned.filter(({ before }) => before.effect === effect))
    return {
      window,
      from: period.from.toISOString(),
      to: period.to.toISOString(),
      /** without the gateway's refusals, which come before the policy */
      considered: total(groups),
      /** those whose effect changes */
      changed: total(turned),
      allow_to_deny: countFrom('allow'),
      deny_to_allow: countFrom('deny'),
      /** the same effect, by another rule */
      by_other_rule: total(byOtherRule),
      /** changed ones whose effect the revision in force changes in the same way */
      already: total(turned.filter(({ in_force, after }) => in_force?.effect === after?.effect)),
      undetermined: total(undetermined),
      /** users with a changed answer */
      subjects: subjects.users,
      decisions: affected.slice(0, MOST_LISTED).map((group, i) => ({ ...group, ...subjects.ofGroup(i) })),
      not_listed: Math.max(0, affected.length - MOST_LISTED),
      examples,
    }
  })
}

/**
 * A snapshot's answer to a recorded question. Null if the record does not say enough: the endpoint layer refused before
 * the record's owner was known, or a route refused because of the caller's rights although the rows allowed it. A route
 * that refused for another reason refuses under any policy.
 */
const decideAgain = (
  snapshot: Snapshot,
  { role, action, relation, layer, before }: DecisionGroup,
): PolicyAnswer | null => {
  if (!snapshot.mayCall(role, action)) return { effect: 'deny', rule: 'role_not_allowed' }
  const byRoute = REFUSED_BY_ROUTE.get(before.rule)
  const relations = layer === 'object' && byRoute === undefined ? [relation] : relationsOf(role)
  const [first, ...others] = relations.map((each) => snapshot.decideFor(role, action, each))
  if (first === undefined || !others.every((other) => isSame(first, other))) return null
  if (byRoute === undefined || first.effect === 'deny') return { effect: first.effect, rule: first.rule }
  return byRoute.restsOnRights ? null : before
}

const isSame = (one: PolicyAnswer | null, other: PolicyAnswer | null): boolean =>
  one?.effect === other?.effect && one?.rule === other?.rule

const total = (groups: readonly { readonly count: number }[]): number =>
  groups.reduce((sum, { count }) => sum + count, 0)

const tooMany = (window: string, cause: unknown): Refusal => {
  const message =
    `${window} holds more decisions than one request can read; ` +
    'ask for a shorter window, or use linkgate policy diff --replay'
  return new Refusal('validation_failed', { errors: [{ field: 'replay', message }], cause })
}
