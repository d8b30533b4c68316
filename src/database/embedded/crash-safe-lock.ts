import { randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode, unlessMissing } from './errno.js'
import { isAlive, markToText, ownMark, parseMark, type ProcessMark } from './process-mark.js'

const POLL_MS = 10
const KEPT = 8

/** Somebody alive holds the lock. */
export interface Held {
  readonly holder: ProcessMark
}
export interface Lock {
  release(): Promise<void>
}

const numbersOf = async (folder: string, name: string): Promise<number[]> =>
  (await readdir(folder))
    .filter((file) => file.startsWith(`${name}.`) && /^\d+$/.test(file.slice(name.length + 1)))
    .map((file) => Number(file.slice(name.length + 1)))

type Placing = (from: string, to: string) => Promise<void>

const putWhole = async (file: string, text: string, place: Placing): Promise<void> => {
  const draft = `${file}-${randomUUID()}`
  try {
    // readable by whoever may enter the folder: another user's process must be able to see who holds it
    await writeFile(draft, text, { mode: 0o644 })
    await place(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Takes a lock that needs no cleaning up after a crash: at once, or says who holds it.
 *
 * Each taking is a file with the next number, made by `link`, which only one process can do. Whoever has the highest
 * number has the lock until its file says that it is released or its process is dead; both are for ever. A number is
 * never used again, so nobody can remove a lock that a third process took in the meantime, which is what goes wrong
 * with "delete the stale file, then create it".
 */
export const tryLock = async (folder: string, name: string): Promise<Lock | Held> => {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  for (;;) {
    const latest = Math.max(0, ...(await numbersOf(folder, name)))
    const newest = join(folder, `${name}.${latest}`)
    const text = latest === 0 ? 'released\n' : await unlessMissing(readFile(newest, 'utf8'), undefined)
    if (text === undefined) continue
    const holder = parseMark(text)
    if (holder && (await isAlive(holder))) return { holder }

    const number = latest + 1
    const file = join(folder, `${name}.${number}`)
    try {
      await putWhole(file, markToText(await ownMark()), link)
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue
      throw error
    }
    const numbers = await numbersOf(folder, name)
    if (Math.max(...numbers) > number) {
      // `latest` was an old number that is cleaned away by now
      await rm(file, { force: true })
      continue
    }
    // the newest few stay, so that a listing made at this moment always meets one of them
    const old = numbers.filter((each) => each <= number - KEPT)
    await Promise.all(old.map((each) => rm(join(folder, `${name}.${each}`), { force: true })))
    let released: Promise<void> | undefined
    return { release: () => (released ??= putWhole(file, 'released\n', rename)) }
  }
}

/** Takes the lock as soon as its holder lets go or dies. `patience` is in milliseconds; after it, the holder. */
export const waitForLock = async (folder: string, name: string, patience: number): Promise<Lock | Held> => {
  const until = Date.now() + patience
  for (;;) {
    const lock = await tryLock(folder, name)
    if ('release' in lock || Date.now() > until) return lock
    await delay(POLL_MS)
  }
}
