import { setImmediate as turnOver } from 'node:timers/promises'

import type { StatementResult, WireStatement } from './batch.js'
import { enterChange, enterChanges } from './change.js'
import type { Change, ChangeForm } from './change.js'
import type { Statement } from './statement.js'
import { databaseAway, hasChangedNothing } from './errors.js'

export interface GroupCommitOptions {
  /** a statement in the form in which it is sent; throws for what cannot be */
  readonly wire: (statement: Statement) => WireStatement
  /** sends statements as one transaction */
  readonly send: (statements: readonly WireStatement[]) => Promise<readonly StatementResult[]>
  /** a change that waited for so many milliseconds is given up (503), and never sent */
  readonly deadlineMs: number
}

type Row = StatementResult['rows'][number]

/** A change, and who waits for its row. */
interface Member {
  readonly change: Change
  /** the statement that makes it where it goes alone */
  readonly alone: WireStatement
  readonly arrived: number
  readonly resolve: (row: Row | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Changes of one form, no two of one code. */
type Part = [Member, ...Member[]]

/**
 * Transactions under way at once: a second one where TOGETHER wait, or MANY where the way is long. Any sooner, groups
 * would be small, and wait for each other in the server.
 */
const AT_MOST = 2
const MANY = 8
/** Changes of one transaction at the most: so many are sent again where one fails. */
const TOGETHER = 16
/** The way is long where no transaction of late has taken less than so many milliseconds. */
const LONG_MS = 2
/**
 * So long a transaction counts as under way: one that waits for a lock holds up no other. A group gives that up sooner
 * (migration 0014).
 */
const PATIENCE_MS = 60
/** How many transactions are of late, about. */
const OF_LATE = 64

/**
 * Group commit: sends a change as a flush of its own would, maybe together with those of others. Changes that arrive
 * while others are being committed are one transaction, and those of one form are one statement of it; what is paid
 * once a transaction (the way there and back, the disk) or once a statement they pay together. One that arrives alone
 * goes at once and alone; no group waits for a timer to fill. Each is answered after the commit that it is in.
 *
 * A group goes at the end of the event loop's turn, or within it as soon as it has half of all that are on their way:
 * then the server works on one half while this process works on the other, and neither waits for both.
 *
 * A transaction is all or nothing, so a group that the server refused has changed nothing, and each of its changes is
 * sent alone: what a caller is told is what became of their own. Not so where the connection was lost or an answer
 * could not be read: the group may have committed, so nothing of it is sent again, and all are told what failed.
 */
export const groupCommits = ({ wire, send, deadlineMs }: GroupCommitOptions) => {
  let waiting: Member[] = []
  /** transactions under way, and the changes in them */
  let underWay = 0
  let sent = 0
  /** milliseconds of the shortest of late, which says how long the way is: the others have waited on it */
  let shortest = 0
  let isAwaited = false

  /** The next of those who wait, without those who waited for too long. */
  const next = (): readonly Member[] => {
    const overdue = performance.now() - deadlineMs
    const taken = waiting.slice(0, TOGETHER)
    waiting = waiting.slice(TOGETHER)
    for (const { arrived, reject } of taken)
      if (arrived < overdue) reject(databaseAway(new Error(`a change waited for ${deadlineMs} ms`)))
    // in one order everywhere, so that groups that change the same rows wait for each other one way round
    return taken
      .filter(({ arrived }) => arrived >= overdue)
      .toSorted((a, b) => (a.change.code < b.change.code ? -1 : Number(a.change.code > b.change.code)))
  }

  const mayGo = (): boolean =>
    waiting.length > 0 &&
    (underWay === 0 || (underWay < AT_MOST && waiting.length >= (shortest < LONG_MS ? TOGETHER : MANY)))

  const sendNext = (): void => {
    while (mayGo()) {
      const members = next()
      const [first] = members
      if (members.length > 1) void commitTogether(members)
      else if (first !== undefined) void commitAlone(first, sendCounted)
    }
  }

  /** At the end of this turn of the event loop: requests that were read in one turn come within it. */
  const sendSoon = (): void => {
    if (isAwaited) return
    isAwaited = true
    setImmediate(() => {
      isAwaited = false
      sendNext()
    })
  }

  /**
   * A transaction of so many changes, under way until it is answered, or for too long. The next ones are on their way
   * before those that were in it are told: the server works on them while this process makes their answers.
   */
  const sendCounted = async (statements: readonly WireStatement[], changes = 1): ReturnType<typeof send> => {
    underWay += 1
    sent += changes
    let counts = true
    const discount = (): void => {
      if (!counts) return
      counts = false
      underWay -= 1
      sent -= changes
    }
    const impatient = setTimeout(() => {
      discount()
      sendNext()
    }, PATIENCE_MS)
    const began = performance.now()
    try {
      return await send(statements)
    } finally {
      const took = performance.now() - began
      shortest = Math.min(took, shortest + (took - shortest) / OF_LATE)
      clearTimeout(impatient)
      discount()
      if (mayGo()) {
        sendNext()
        // a connection is lent some ticks later
        await turnOver()
      }
    }
  }

  const commitAlone = async (
    { change: { entering }, alone, resolve, reject }: Member,
    sendIt: typeof send,
  ): Promise<void> => {
    try {
      const [, result] = await sendIt([wire(enterChange(entering)), alone])
      resolve(result?.rows[0])
    } catch (error) {
      reject(error)
    }
  }

  /** The way in, and the change of all of them. */
  const statementsOf = (part: Part): readonly WireStatement[] => {
    const changes = part.map(({ change }) => change)
    return [wire(enterChanges(changes)), wire(part[0].change.form.many(changes.map(({ values }) => values)))]
  }

  const commitTogether = async (members: readonly Member[]): Promise<void> => {
    try {
      const parts = partsOf(members)
      const results = await sendCounted(parts.flatMap(statementsOf), members.length)
      for (const [i, part] of parts.entries()) answer(part, results[2 * i + 1])
    } catch (error) {
      for (const member of members) {
        if (hasChangedNothing(error)) void commitAlone(member, send)
        else member.reject(error)
      }
    }
  }

  /** Half of all that are on their way, within bounds. */
  const isFull = (): boolean => waiting.length >= Math.min(TOGETHER, Math.max(MANY, (waiting.length + sent) / 2))

  return (change: Change): Promise<Row | undefined> =>
    new Promise((resolve, reject) => {
      // its statement is made before it waits: what cannot be sent must never be part of a group
      waiting.push({ change, alone: wire(change.form.one(change.values)), arrived: performance.now(), resolve, reject })
      if (isFull()) sendNext()
      else sendSoon()
    })
}

/** A group's parts, each a statement. Changes of one code are in several, in their order. */
const partsOf = (members: readonly Member[]): readonly Part[] => {
  const parts: Part[] = []
  for (let rest = members; rest.length > 0;) {
    const codes = new Set<string>()
    const forms = new Map<ChangeForm, Part>()
    const later: Member[] = []
    for (const member of rest) {
      const { code, form } = member.change
      const part = forms.get(form)
      if (codes.has(code)) later.push(member)
      else if (part) part.push(member)
      else forms.set(form, [member])
      codes.add(code)
    }
    parts.push(...forms.values())
    rest = later
  }
  return parts
}

/** Gives every change of a statement the row with its code. */
const answer = (part: readonly Member[], result: StatementResult | undefined): void => {
  const rows = new Map(result?.rows.map((row) => [row['code'], row]))
  for (const { change, resolve } of part) resolve(rows.get(change.code))
}
