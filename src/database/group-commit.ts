import type { StatementResult, WireStatement } from './batch.js'
import type { Statement } from './database.js'
import { databaseAway, hasChangedNothing } from './errors.js'

export interface GroupCommitOptions {
  /** a statement in the form in which it is sent; throws for what cannot be */
  readonly wire: (statement: Statement) => WireStatement
  /** sends statements as one transaction */
  readonly send: (statements: readonly WireStatement[]) => Promise<readonly StatementResult[]>
  /** a change that waited for so many milliseconds is given up (503), and never sent */
  readonly deadlineMs: number
}

/** What one caller wants committed, and who waits for it. */
interface Change {
  readonly row: string
  readonly statements: readonly WireStatement[]
  readonly arrived: number
  readonly resolve: (results: readonly StatementResult[]) => void
  readonly reject: (error: unknown) => void
}

/** Transactions under way at once: the database works on one of them while this process works on the answers of another. */
const AT_ONCE = 2
/** So many where the way is long or the disk slow, and MANY wait meanwhile: any sooner, groups would be small. */
const AT_MOST = 4
const MANY = 6
/** Changes of one transaction at the most: so many are sent again where one fails. */
const TOGETHER = 16

/**
 * A group waits for no lock that others hold for longer than this: then each of its changes goes alone, and waits for what it needs itself.
 * It ends what two groups wait for of each other, too, long before the server looks for that.
 */
const PATIENCE: Statement = { name: 'group_patience', text: `select set_config('lock_timeout', '50ms', true)` }

/**
 * Group commit: sends a change of one row as a flush of its own would, maybe together with those of others. Changes that arrive while others
 * are being committed are one transaction, each with its own statements; what is paid once a transaction (the way there and back, the
 * disk) they pay together. One that arrives alone goes at once and alone. Each is answered after the commit that it is in.
 *
 * A transaction is all or nothing, so a group that the server refused has changed nothing, and each of its changes is sent alone: what a caller
 * is told is what became of their own. Not so where the connection was lost or an answer could not be read: the group may have committed,
 * so nothing of it is sent again, and all are told what failed.
 */
export const groupCommits = ({ wire, send, deadlineMs }: GroupCommitOptions) => {
  const patience = wire(PATIENCE)
  let waiting: Change[] = []
  let underWay = 0

  /** The next of those who wait, without those who waited for too long. */
  const next = (): readonly Change[] => {
    const overdue = performance.now() - deadlineMs
    const taken = waiting.slice(0, TOGETHER)
    waiting = waiting.slice(TOGETHER)
    for (const { arrived, reject } of taken) if (arrived < overdue) reject(databaseAway(new Error(`a change waited for ${deadlineMs} ms`)))
    // in one order everywhere, so that groups that change the same rows wait for each other one way round
    return taken.filter(({ arrived }) => arrived >= overdue).toSorted((a, b) => (a.row < b.row ? -1 : Number(a.row > b.row)))
  }

  const sendNext = (): void => {
    while (waiting.length > 0 && underWay < (waiting.length < MANY ? AT_ONCE : AT_MOST)) {
      const changes = next()
      if (changes.length > 0) void commit(changes)
    }
  }

  const commit = async (changes: readonly Change[]): Promise<void> => {
    const isGroup = changes.length > 1
    const statements = changes.flatMap((change) => change.statements)
    underWay += 1
    try {
      // the next ones are on their way before these are answered
      const results = await send(isGroup ? [patience, ...statements] : statements).finally(() => {
        underWay -= 1
        sendNext()
      })
      let first = isGroup ? 1 : 0
      for (const change of changes) change.resolve(results.slice(first, first += change.statements.length))
    } catch (error) {
      for (const { statements: alone, resolve, reject } of changes) {
        if (isGroup && hasChangedNothing(error)) send(alone).then(resolve, reject)
        else reject(error)
      }
    }
  }

  return (statements: readonly Statement[], row: string): Promise<readonly StatementResult[]> => new Promise((resolve, reject) => {
    // in their final form before they wait: what cannot be sent must never be part of a group
    waiting.push({ row, statements: statements.map(wire), arrived: performance.now(), resolve, reject })
    sendNext()
  })
}
