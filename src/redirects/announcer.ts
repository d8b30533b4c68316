import type { Database } from '../database/database.js'
import type { Statement } from '../database/statement.js'

/** Notifies every process of the changes committed before this call (migrations/functions/changed_links.sql). */
const ANNOUNCE: Statement = { name: 'announce_changed_links', text: 'select announce_changed_links()' }

/** Minimum time between two announcements: changes in it are announced together. */
const EVERY_MS = 20

/**
 * Announces committed changes in batches, one at a time. It only speeds things up: the heartbeat of any process's
 * listener announces what this one missed (database/listener.ts).
 */
export const createAnnouncer = (database: Pick<Database, 'run'>) => {
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
    /** Announces a committed change, soon. A running announcement may lack it, so another follows. */
    soon: (): void => {
      timer ??= setTimeout(
        () => {
          running = announce()
        },
        Math.max(0, nextAt - performance.now()),
      )
    },
    /** Resolves when every change is announced. */
    stop: async (): Promise<void> => {
      clearTimeout(timer)
      await (timer === undefined ? running : announce())
    },
  }
}
