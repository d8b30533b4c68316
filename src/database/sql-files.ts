import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

import { StartError } from '../domain/start-error.js'

/** One file of migrations/: a numbered migration, or a function. */
export interface SqlFile {
  /** relative to the folder: `0001_roles.sql`, `functions/enter.sql` */
  readonly path: string
  readonly isFunction: boolean
  readonly text: string
  /** the path and the SHA-256 of the text, which the database stores for every applied file */
  readonly key: string
}

const FILE = /^(?:\d{4}_|functions\/)\w+\.sql$/

/** The files in the order in which they are applied: the numbered ones, then the functions. */
export const readSqlFiles = async (folder: URL): Promise<readonly SqlFile[]> => {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => FILE.test(path)).toSorted()
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(new URL(path, folder), 'utf8')
      const sha256 = createHash('sha256').update(text).digest('hex')
      return { path, isFunction: path.startsWith('functions/'), text, key: `${path} ${sha256}` }
    }),
  )
}

/**
 * The files that a database lacks, by its stored keys. A function file is pending if its text is not the one applied
 * last, unless the database has a numbered file that this version does not know: then its functions belong to a newer
 * version, and stay. A numbered file that was changed after it was applied is a StartError.
 */
export const pendingFiles = (files: readonly SqlFile[], keys: readonly string[]): readonly SqlFile[] => {
  const applied = new Map(keys.map((key) => [key.replace(/ .*/, ''), key]))
  const numbered = files.filter(({ isFunction }) => !isFunction)
  const changed = numbered.find(({ path, key }) => applied.has(path) && applied.get(path) !== key)
  if (changed) throw new StartError(`migrations/${changed.path} was changed after it was applied to this database`)
  const known = new Set(files.map(({ path }) => path))
  const isNewer = [...applied.keys()].some((path) => /^\d/.test(path) && !known.has(path))
  return files.filter(({ path, key, isFunction }) => applied.get(path) !== key && !(isFunction && isNewer))
}
