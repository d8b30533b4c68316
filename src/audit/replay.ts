import type { Database } from '../database/database.js'
import { SQLSTATE, sqlState } from '../database/errors.js'
import { Refusal } from '../domain/refusal.js'
import { isSame, replayGroups } from '../policy/replay.js'
import type { RecordedGroup, ReplayedGroup, Verdict } from '../policy/replay.js'
import type { Snapshot } from '../policy/snapshot.js'
import { readGroups, readTouched } from './recorded-groups.js'
import type { Touched } from './recorded-groups.js'

/** Recorded decisions of one question that an edit would answer otherwise; `after` null: the records cannot tell. */
export interface ReplayedDecisions extends Pick<RecordedGroup, 'role' | 'action' | 'relation' | 'layer' | 'count'> {
  readonly before: Verdict
  readonly in_force: Verdict | null
  readonly after: Verdict | null
  /** how many users; `subjects` names the hundred with the most of these decisions */
  readonly users: number
  readonly subjects: readonly Touched[]
}

/** What would have become of the recorded decisions of a window under an edit. */
export interface Replay {
  readonly window: string
  readonly from: string
  readonly to: string
  /** recorded decisions of the policy; the gateway's refusals came before it and stay */
  readonly considered: number
  readonly changed: number
  readonly allow_to_deny: number
  readonly deny_to_allow: number
  /**
   * of the changed ones: those that the revision in force answers as the edit would, so that not this edit changes them
   */
  readonly already: number
  readonly undetermined: number
  /** users whose decisions change */
  readonly subjects: number
  readonly decisions: readonly ReplayedDecisions[]
  /** groups of changed or undetermined decisions beyond those listed */
  readonly not_listed: number
}

export interface ReplayOptions {
  readonly window: string
  readonly minutes: number
  readonly inForce: Snapshot
  readonly candidate: Snapshot
  /** how long the log may be read, in milliseconds; beyond it `validation_failed` asks for a shorter window */
  readonly budgetMs: number
  readonly now?: Date
}

/** Groups that an answer lists at the most: the largest. */
const MOST_LISTED = 200

/**
 * Decides the recorded decisions of a window again, exactly: every record counts, none is sampled. Records with one
 * question and one answer are decided once, so the price is that of reading the window. The log is seen at one moment.
 */
export const replay = async (
  database: Database,
  { window, minutes, inForce, candidate, budgetMs, now = new Date() }: ReplayOptions,
): Promise<Replay> => {
  const span = { from: new Date(now.getTime() - minutes * 60_000), to: now }
  const until = performance.now() + budgetMs
  return database.transaction(async (client) => {
    const within = async <T>(read: () => Promise<T>): Promise<T> => {
      await client.query(`select set_config('statement_timeout', $1, true)`, [
        String(Math.max(1, Math.round(until - performance.now()))),
      ])
      return read().catch((error: unknown) => {
        throw sqlState(error) === SQLSTATE.queryCanceled ? tooMany(window, error) : error
      })
    }
    await client.query('set transaction isolation level repeatable read, read only')
    await client.query(`select enter('audit_reader', null)`)
    const groups = replayGroups(await within(() => readGroups(client, span)), inForce, candidate)
    const changed = groups.filter(isChanged)
    const touching = [...changed, ...groups.filter(({ after }) => after === null)]
    const { subjects, touched } = await within(() =>
      readTouched(client, span, touching, { listed: MOST_LISTED, counted: changed.length }),
    )
    return {
      window,
      from: span.from.toISOString(),
      to: span.to.toISOString(),
      considered: total(groups),
      changed: total(changed),
      allow_to_deny: total(changed.filter(({ effect, after }) => effect === 'allow' && after?.effect === 'deny')),
      deny_to_allow: total(changed.filter(({ effect, after }) => effect === 'deny' && after?.effect === 'allow')),
      already: total(changed.filter(({ in_force, after }) => isSame(in_force, after))),
      undetermined: total(groups.filter(({ after }) => after === null)),
      subjects,
      decisions: touching
        .slice(0, MOST_LISTED)
        .map(({ role, action, relation, layer, count, effect, rule, in_force, after }, i) => ({
          role,
          action,
          relation,
          layer,
          count,
          before: { effect, rule },
          in_force,
          after,
          users: touched[i]?.subjects ?? 0,
          subjects: touched[i]?.most ?? [],
        })),
      not_listed: Math.max(0, touching.length - MOST_LISTED),
    }
  })
}

const isChanged = ({ effect, rule, after }: ReplayedGroup): boolean =>
  after !== null && !isSame({ effect, rule }, after)

const total = (groups: readonly RecordedGroup[]): number => groups.reduce((sum, { count }) => sum + count, 0)

const tooMany = (window: string, cause: unknown): Refusal =>
  new Refusal('validation_failed', {
    errors: [
      {
        field: 'replay',
        message: `${window} holds more decisions than can be read in the time of one request; ask for a shorter window, or use linkgate policy diff --replay`,
      },
    ],
    cause,
  })
