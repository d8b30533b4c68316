import { execFile } from 'node:child_process'
import { chmod, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { makeTemporaryFolder } from './temporary-folder.js'

const run = promisify(execFile)

/** A file system of its own, small enough to be filled. */
export interface SmallDisk {
  readonly folder: string
  /** Takes all the room that is left. */
  fill(): Promise<void>
  /** Gives it back. */
  clear(): Promise<void>
  remove(): Promise<void>
}

/** A file system in memory of so many megabytes; null where this process may not mount one. */
export const mountSmallDisk = async (megabytes: number): Promise<SmallDisk | null> => {
  const folder = await makeTemporaryFolder('linkgate-disk-')
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'linkgate-test', folder]).then(
    () => true,
    () => false,
  )
  if (!mounted) return null
  await chmod(folder, 0o711)
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill: async () => {
      const file = await open(ballast, 'a')
      try {
        for (let { bavail, bsize } = await statfs(folder); bavail > 0; { bavail, bsize } = await statfs(folder))
          await file.write(Buffer.alloc(Math.min(bavail * bsize, 1024 * 1024), 1))
      } finally {
        await file.close()
      }
    },
    clear: () => rm(ballast, { force: true }),
    remove: async () => {
      await run('umount', [folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
