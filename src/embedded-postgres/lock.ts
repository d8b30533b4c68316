import { mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { errorCode } from '../domain/thrown.js'
import { once } from '../domain/once.js'
import { unlessMissing } from '../files.js'
import { isAlive, ownMark, pidOf } from './process-mark.js'

const POLL_MS = 10
const KEPT = 8
const FREE = 'free'

export interface Lock {
  release(): Promise<void>
}

/** Other names are not ours: a file manager may leave files in any folder. */
const numbersIn = async (folder: string): Promise<number[]> =>
  (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number)

/**
 * Takes a lock that ends with its process, however that ends. If a live process holds it for longer than `patience`
 * milliseconds, resolves with the id of that process. Each lock has its own folder.
 *
 * The folder is a log of numbered symbolic links that point nowhere: the text of a link is the mark of the process that
 * took the lock, or `free`. The highest number counts. A link and its text appear atomically, and only one process can
 * create a given number. Numbers only grow, so nobody can remove a lock that a third process took in the meantime,
 * which is the race in "delete the stale file, then create it".
 */
export const takeLock = async (folder: string, patience = 0): Promise<Lock | number> => {
  const until = Date.now() + patience
  await mkdir(folder, { recursive: true, mode: 0o755 })
  for (;;) {
    const latest = Math.max(0, ...(await numbersIn(folder)))
    const mark = latest === 0 ? FREE : await unlessMissing(readlink(join(folder, String(latest))), undefined)
    if (mark === undefined) continue
    if (mark !== FREE && (await isAlive(mark))) {
      if (Date.now() >= until) return pidOf(mark)
      await delay(POLL_MS)
      continue
    }
    const own = latest + 1
    try {
      await symlink(await ownMark(), join(folder, String(own)))
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue
      throw error
    }
    const numbers = await numbersIn(folder)
    // the first listing may be so old that the next number was taken and deleted since
    const isOutdated = numbers.some((number) => number > own)
    // the newest few stay, so that a listing made at this moment contains one of them
    const unneeded = isOutdated ? [own] : numbers.filter((number) => number <= own - KEPT)
    await Promise.all(unneeded.map((number) => rm(join(folder, String(number)), { force: true })))
    if (isOutdated) continue
    return { release: once(() => free(join(folder, String(own + 1)))) }
  }
}

const free = async (link: string): Promise<void> => {
  try {
    await symlink(FREE, link)
  } catch (error) {
    // another container does not see our process, and has taken the lock over
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/** True if a live process holds one of the locks in this folder. Deletes the others; nobody may take one meanwhile. */
export const isAnyTaken = async (folder: string): Promise<boolean> => {
  const entries = await unlessMissing(readdir(folder, { withFileTypes: true }), [])
  const locks = entries.filter((each) => each.isDirectory()).map(({ name }) => join(folder, name))
  const taken = await Promise.all(locks.map(async (lock) => typeof (await takeLock(lock)) === 'number'))
  await Promise.all(locks.filter((_, i) => !taken[i]).map((lock) => rm(lock, { recursive: true })))
  return taken.includes(true)
}
