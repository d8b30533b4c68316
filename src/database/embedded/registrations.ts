import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from './errno.js'
import { isAlive, markToText, ownMark, parseMark } from './process-mark.js'

const folderOf = (dataDir: string): string => join(dataDir, 'users')

/** Notes that this process uses the server. Call it under the lock; one process may register several times. */
export const register = async (dataDir: string): Promise<{ remove(): Promise<void> }> => {
  const folder = folderOf(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o755 })
  const mark = await ownMark()
  const file = join(folder, `${mark.pid}-${randomUUID()}`)
  await writeFile(file, markToText(mark), { mode: 0o644 })
  return { remove: () => rm(file, { force: true }) }
}

/** True where a live process is registered. Call it under the lock: it sweeps out the dead ones. */
export const isInUse = async (dataDir: string): Promise<boolean> => {
  const folder = folderOf(dataDir)
  const alive = await Promise.all(
    (await unlessMissing(readdir(folder), [])).map(async (name) => {
      const file = join(folder, name)
      const mark = parseMark(await unlessMissing(readFile(file, 'utf8'), ''))
      if (mark && (await isAlive(mark))) return true
      await rm(file, { force: true })
      return false
    }),
  )
  return alive.includes(true)
}
