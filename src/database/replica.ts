import type { QueryResultRow } from 'pg'

import type { Database } from './database.js'
import type { Statement } from './statement.js'
import { WHO_AM_I, faultOfSession } from './session.js'
import type { Session } from './session.js'

/** A streaming replica, asked only while what it answers is known to be younger than the bound. */
export interface Replica {
  /**
   * Rows of a read, at most `staleMs` old; undefined where the replica is left out or fails: the primary is to be
   * asked. Never rejects.
   */
  read<Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[] | undefined>
  stats(): ReplicaStats
  stop(): void
}

export interface ReplicaStats {
  /** reads that it answered */
  readonly reads: number
  /** reads that were left to the primary */
  readonly fallbacks: number
  /** true while it is not asked */
  readonly leftOut: boolean
}

export interface ReplicaOptions {
  readonly primary: Pick<Database, 'run'>
  /** the replica's own pool, whose deadline bounds what a slow replica costs */
  readonly replica: Pick<Database, 'flush'>
  /** how old an answer may be, in milliseconds */
  readonly staleMs: number
  /** told whenever it is left out, with the reason, and null when it is asked again */
  readonly onChange: (fault: unknown) => void
  readonly everyMs?: number
}

/** Where in its log the primary stood at a time: all that was committed before `at` stands before `position`. */
interface Mark {
  readonly at: number
  readonly position: bigint
}

/** One database, and no other of the same name: LSNs of two clusters cannot be compared. */
const IDENTITY = `(select system_identifier::text from pg_control_system()) || '/' || (select oid from pg_database where datname = current_database()) as identity`
// the insert position, not the flushed one: with synchronous_commit off a commit is seen before it is flushed
const PRIMARY: Statement = {
  name: 'primary_position',
  text: `select (pg_current_wal_insert_lsn() - '0/0')::text as position, ${IDENTITY}`,
}
const REPLAYED: Statement = {
  name: 'replayed',
  text: `select pg_is_in_recovery() as recovering, (pg_last_wal_replay_lsn() - '0/0')::text as position`,
}
const WHO: Statement = { name: 'who_am_i', text: `select who.*, ${IDENTITY} from (${WHO_AM_I}) who` }

interface Position {
  readonly position: string
  readonly identity: string
}
interface Replayed {
  readonly recovering: boolean
  readonly position: string | null
}

/**
 * Follows a replica. The primary is asked for its position several times a second; a read asks the replica in one flush
 * how far it is, and then for the rows, so that each answer is measured by itself, whichever replica a balancer led it
 * to. A replica that fails or is behind is left out until the next look finds it in order: no request waits for it
 * meanwhile.
 */
export const openReplica = ({ primary, replica, staleMs, onChange, everyMs = 400 }: ReplicaOptions): Replica => {
  const total = { reads: 0, fallbacks: 0 }
  let marks: readonly Mark[] = []
  let leftOut = true
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const leaveOut = (fault: unknown) => {
    leftOut = true
    if (!stopped) onChange(fault)
  }
  /** Why an answer from this position may not be given; undefined where it may. */
  const faultOf = (replayed: Replayed | undefined): string | undefined => {
    if (replayed?.recovering !== true || replayed.position === null) return 'it is no standby of the primary'
    const position = BigInt(replayed.position)
    const fresh = performance.now() - staleMs
    return marks.some((mark) => mark.at > fresh && mark.position <= position)
      ? undefined
      : `it lacks what the primary had ${staleMs} ms ago`
  }

  const look = async () => {
    const at = performance.now()
    const [stands] = await primary.run<QueryResultRow & Position>(PRIMARY)
    if (stands === undefined) return
    marks = [...marks.filter((mark) => mark.at > at - staleMs), { at, position: BigInt(stands.position) }]
    const [replayed, who] = await replica.flush([REPLAYED, WHO])
    const session: (Session & Position) | undefined = who?.rows[0]
    const fault =
      session === undefined || session.identity !== stands.identity
        ? 'it is a replica of another database'
        : (faultOfSession(session, undefined) ?? faultOf(replayed?.rows[0]))
    if (fault !== undefined) throw new Error(`the replica is left out: ${fault}`)
    if (leftOut && !stopped) {
      leftOut = false
      onChange(null)
    }
  }
  const lookAgain = async () => {
    await look().catch(leaveOut)
    if (!stopped) timer = setTimeout(() => void lookAgain(), everyMs).unref()
  }
  void lookAgain()

  return {
    read: async <Row extends QueryResultRow>(statement: Statement) => {
      if (!leftOut) {
        try {
          // two statements, two snapshots: the rows are at least as new as the position that was read before them
          const [replayed, found] = await replica.flush([REPLAYED, statement])
          const fault = faultOf(replayed?.rows[0])
          if (fault === undefined) {
            total.reads += 1
            const rows: readonly Row[] = found?.rows ?? []
            return rows
          }
          leaveOut(new Error(`the replica is left out: ${fault}`))
        } catch (error) {
          leaveOut(error)
        }
      }
      total.fallbacks += 1
      return undefined
    },
    stats: () => ({ ...total, leftOut }),
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
