import type { ClientConfig } from 'pg'

import { openPool } from './pool.js'
import { openReplica } from './replica.js'
import type { Replica, ReplicaOptions } from './replica.js'

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
