import type { Database } from '../database/database.js'
import type { Statement } from '../database/statement.js'

/**
 * Makes the database tell every process which links changed, up to what was committed before this call
 * (migrations/functions/changed_links.sql).
 */
export const ANNOUNCE: Statement = { name: 'announce_changed_links', text: 'select announce_changed_links()' }

/** Changes of so many milliseconds are announced together. */
const GATHERED_MS = 20

export interface Announcer {
  /** A change of links was committed: it is announced soon. */
  soon(): void
  /** Resolves when nothing is under way. */
  stop(): Promise<void>
}

/**
 * Announces changes after their commit, many at once and one announcement at a time. Nothing rests on it but how soon:
 * what it fails to announce, or dies before, the heartbeat of any process's listener announces (database/listener.ts).
 */
export const createAnnouncer = (database: Pick<Database, 'run'>): Announcer => {
  let timer: NodeJS.Timeout | undefined
  let under: Promise<void> | undefined
  const announce = async (): Promise<void> => {
    await under
    timer = undefined
    await database.run(ANNOUNCE).catch(() => undefined)
  }
  return {
    // what was committed while an announcement was under way may not be in it: that one is waited for, and another
    // follows
    soon: () => {
      timer ??= setTimeout(() => {
        under = announce()
      }, GATHERED_MS)
    },
    stop: async () => {
      clearTimeout(timer)
      await (timer === undefined ? under : announce())
    },
  }
}
