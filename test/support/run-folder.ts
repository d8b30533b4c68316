import { readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** The folder that all processes of one run of the tests share: set by the process that forks the workers. */
const RUN_FOLDER = 'LINKGATE_TEST_RUN_FOLDER'
/** Where temporary folders are made. */
const ROOT = 'LINKGATE_TEST_ROOT'

/** What its name begins with. */
export const RUN_PREFIX = 'linkgate-test-run-'

const MEMORY = '/dev/shm'
/** Several times what a run has at its peak. */
const ENOUGH_BYTES = 4 * 1024 ** 3

/** The folder of this run; undefined where nobody made one. */
export const runFolder = (): string | undefined => process.env[RUN_FOLDER]

/** Tells this process, and those that it forks from now on, which folder they share. */
export const setRunFolder = (folder: string): void => {
  process.env[RUN_FOLDER] = folder
}

/** Where this process makes its temporary folders. */
export const temporaryRoot = (): string => process.env[ROOT] ?? tmpdir()

const isRoomyMemory = async (): Promise<boolean> => {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' '))
  const [, , type, options = ''] = mounts.find(([, path]) => path === MEMORY) ?? []
  const { blocks, bsize } = await statfs(MEMORY)
  return type === 'tmpfs' && !options.split(',').includes('noexec') && blocks * bsize >= ENOUGH_BYTES
}

/**
 * Tells this process, and those that it forks from now on, to make temporary folders in memory where there is enough.
 * A database is a thousand files: made on a disk (ext4), it takes ten times as long.
 */
export const useMemory = async (): Promise<void> => {
  if (await isRoomyMemory().catch(() => false)) process.env[ROOT] = MEMORY
}
