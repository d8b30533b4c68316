import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { StartError } from '../domain/start-error.js'
import { unlessMissing, writeDurably } from '../files.js'

/** The two passwords of an embedded database. */
interface Credentials {
  readonly owner: string
  readonly service: string
}

/**
 * Reads the passwords from the data folder (mode 0600), or creates them if there is no cluster yet. They are on disk
 * before a cluster uses them. `StartError` if a cluster exists but its passwords are missing or damaged.
 */
export const loadCredentials = async (dataDir: string, clusterExists: boolean): Promise<Credentials> => {
  const file = join(dataDir, 'postgres-credentials.json')
  const text = await unlessMissing(readFile(file, 'utf8'), undefined)
  const [, owner, service] = /^\{"owner":"([^"]+)","service":"([^"]+)"\}\n$/.exec(text ?? '') ?? []
  if (owner !== undefined && service !== undefined) return { owner, service }
  if (clusterExists) {
    const advice = 'the database in the data folder cannot be opened without it; restore it from a backup'
    throw new StartError(`${file} is ${text === undefined ? 'missing' : 'damaged'}: ${advice}`)
  }
  const credentials = { owner: randomBytes(24).toString('base64url'), service: randomBytes(24).toString('base64url') }
  await writeDurably(file, `${JSON.stringify(credentials)}\n`, 0o600)
  return credentials
}
