import type { Database } from '../database/database.js'
import type { Statement } from '../database/statement.js'

/** Notifies every process of the changes committed before this call (migrations/functions/changed_links.sql). */
const ANNOUNCE: Statement = { name: 'announce_changed_links', text: 'select announce_changed_links()' }

/** Minimum time between two announcements: changes in it are announced together. */
const EVERY_MS = 20

interface Announcer {
  /** Announces a committed change, soon. */
  soon(): void
  /** Resolves when every change is announced. */
  stop(): Promise<void>
}

/**
 * Announces committed changes in batches, one at a time. It only speeds things up: the heartbeat of any process's
 * listener announces what this one missed (database/listener.ts).
 */
export const createAnnouncer = (database: Pick<Database, 'run'>): Announcer => {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let nextAt = Number.NEGATIVE_INFINITY
  const announce = async (): Promise<void> => {
    await running
    timer = undefined
    nextAt = performance.now() + EVERY_MS
    await database.run(ANNOUNCE).catch(() => undefined)
  }
  return {
    // a running announcement may lack this change, so another follows it
    soon: () => {
      timer ??= setTimeout(
        () => {
          running = announce()
        },
        Math.max(0, nextAt - performance.now()),
      )
    },
    stop: async () => {
      clearTimeout(timer)
      await (timer === undefined ? running : announce())
    },
  }
}
