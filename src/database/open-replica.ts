import type { ClientConfig } from 'pg'

import { openPool } from './pool.js'
import { openReplica } from './replica.js'
import type { Replica, ReplicaOptions } from './replica.js'

export interface ReplicaPlace extends Pick<ReplicaOptions, 'staleMs' | 'onChange'> {
  readonly url: string
  /** how the service logs in to the primary; to the replica it does so in the same way */
  readonly primary: ClientConfig
  /** connections to the replica at the most */
  readonly size: number
  /** true where both stand behind a pooler in transaction mode */
  readonly pooled: boolean
}

/** What a replica that does not answer may cost a read, in milliseconds; the primary is asked then. */
const REPLICA_DEADLINE_MS = 300

/** Follows the replica at a URL, with connections of its own. */
export const openReplicaAt = ({
  url,
  primary,
  size,
  pooled,
  staleMs,
  onChange,
}: ReplicaPlace): Replica & { close(): Promise<void> } => {
  const pool = openPool({
    connection: { ...primary, connectionString: url },
    size,
    pooled,
    deadlineMs: REPLICA_DEADLINE_MS,
  })
  // a connection of its own: where requests queue for the primary, the replica must not be left out for want of its
  // position
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
