import type { ClientConfig, QueryResultRow } from 'pg'

import type { Database } from './database.js'
import { openPool } from './pool.js'
import type { Statement } from './statement.js'
import { SESSION, faultOfSession, type Session } from './session.js'

/** A streaming replica, used only while its answers are known to be fresh enough. */
export interface Replica {
  /**
   * The rows of a read, at most `staleMs` old; undefined if the replica cannot be used: the caller then reads from
   * the primary. Never rejects.
   */
  read<Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[] | undefined>
  stats(): ReplicaStats
  stop(): void
}

export interface ReplicaStats {
  /** reads that the replica answered */
  readonly reads: number
  /** reads that went to the primary */
  readonly fallbacks: number
  /** true while the replica is not used */
  readonly leftOut: boolean
}

interface ReplicaOptions {
  readonly primary: Pick<Database, 'run'>
  /** its deadline bounds what a slow replica costs */
  readonly replica: Pick<Database, 'flush'>
  /** the greatest age of an answer, in milliseconds */
  readonly staleMs: number
  /** called with the reason when the replica goes out of use, and with null when it is used again */
  readonly onChange: (fault: unknown) => void
  readonly everyMs?: number
}

/** The primary's WAL position at a time: everything committed before `at` is before `position`. */
interface Mark {
  readonly at: number
  readonly position: bigint
}

/** Identifies the database across clusters, whose positions cannot be compared. */
const IDENTITY = `
  (select system_identifier::text from pg_control_system()) || '/' ||
  (select oid from pg_database where datname = current_database()) as identity`
// not the flushed position: with synchronous_commit off a commit is visible before it is flushed
const PRIMARY: Statement = {
  name: 'primary_position',
  text: `select (pg_current_wal_insert_lsn() - '0/0')::text as position, ${IDENTITY}`,
}
const REPLAYED: Statement = {
  name: 'replayed',
  text: `select pg_is_in_recovery() as recovering, (pg_last_wal_replay_lsn() - '0/0')::text as position`,
}
const REPLICA_SESSION: Statement = {
  name: 'replica_session',
  text: `select session.*, ${IDENTITY} from (${SESSION}) session`,
}

interface PrimaryRow {
  readonly position: string
  readonly identity: string
}
interface Replayed {
  readonly recovering: boolean
  readonly position: string | null
}

/**
 * Polls the primary's WAL position several times a second. Each read selects the replica's replayed position and then
 * the rows in one round trip, so that every answer is checked, whichever replica a load balancer picked. A replica that
 * fails or lags is out of use until a later check passes; no request waits for it meanwhile.
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
  /** Why an answer at this position must not be used; undefined if it may be. */
  const faultOf = (replayed: Replayed | undefined): string | undefined => {
    if (replayed?.recovering !== true || replayed.position === null) return 'it is not a standby of the primary'
    const position = BigInt(replayed.position)
    const fresh = performance.now() - staleMs
    return marks.some((mark) => mark.at > fresh && mark.position <= position)
      ? undefined
      : `it lacks what the primary had ${staleMs} ms ago`
  }

  const check = async () => {
    const at = performance.now()
    const [current] = await primary.run<PrimaryRow>(PRIMARY)
    if (current === undefined) return
    marks = [...marks.filter((mark) => mark.at > at - staleMs), { at, position: BigInt(current.position) }]
    const [replayed, found] = await replica.flush([REPLAYED, REPLICA_SESSION])
    const session: (Session & Pick<PrimaryRow, 'identity'>) | undefined = found?.rows[0]
    const fault =
      session === undefined || session.identity !== current.identity
        ? 'it is a replica of another database'
        : (faultOfSession(session, undefined) ?? faultOf(replayed?.rows[0]))
    if (fault !== undefined) throw new Error(`the replica is not used: ${fault}`)
    if (leftOut && !stopped) {
      leftOut = false
      onChange(null)
    }
  }
  const poll = async () => {
    await check().catch(leaveOut)
    if (!stopped) timer = setTimeout(() => void poll(), everyMs).unref()
  }
  void poll()

  return {
    read: async <Row extends QueryResultRow>(statement: Statement) => {
      if (!leftOut) {
        try {
          // each statement has its own snapshot, so the rows are at least as new as the position before them
          const [replayed, found] = await replica.flush([REPLAYED, statement])
          const fault = faultOf(replayed?.rows[0])
          if (fault === undefined) {
            total.reads += 1
            const rows: readonly Row[] = found?.rows ?? []
            return rows
          }
          leaveOut(new Error(`the replica is not used: ${fault}`))
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

interface ReplicaPlace extends Pick<ReplicaOptions, 'staleMs' | 'onChange'> {
  readonly url: string
  /** how the service logs in to the primary, and to the replica in the same way */
  readonly primary: ClientConfig
  /** connections to the replica at most */
  readonly size: number
  /** true if both are behind a pooler in transaction mode */
  readonly pooled: boolean
}

/** The longest that a read waits for the replica before it goes to the primary. */
const REPLICA_DEADLINE_MS = 300

/** Follows the replica at a URL, with its own connections. */
export const openReplicaAt = ({
  url,
  primary,
  size,
  pooled,
  staleMs,
  onChange,
}: ReplicaPlace): Replica & { close(): Promise<void> } => {
  const connection = { ...primary, connectionString: url }
  const pool = openPool({ connection, size, pooled, deadlineMs: REPLICA_DEADLINE_MS })
  // its own connection: the replica must stay in use when requests queue for the primary
  const position = openPool({ connection: primary, size: 1, pooled, deadlineMs: staleMs })
  const replica = openReplica({ primary: position, replica: pool, staleMs, onChange })
  return {
    ...replica,
    close: async () => {
      replica.stop()
      await Promise.all([pool.close(), position.close()])
    },
  }
}
