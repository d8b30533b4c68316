import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../domain/start-error.js'
import { writeDurably } from './durable-file.js'
import { errorCode, unlessMissing } from './errno.js'

/** The two passwords of an embedded database, made once and kept in the data folder (mode 0600). */
export interface Credentials {
  readonly owner: string
  readonly service: string
}

const parse = (text: string): Credentials | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('owner' in value) || !('service' in value)) return undefined
    const { owner, service } = value
    return typeof owner === 'string' && typeof service === 'string' && owner && service ? { owner, service } : undefined
  } catch {
    return undefined
  }
}

const create = async (file: string): Promise<Credentials> => {
  const credentials = { owner: randomBytes(24).toString('base64url'), service: randomBytes(24).toString('base64url') }
  await writeDurably(file, `${JSON.stringify(credentials)}\n`, 0o600)
  return credentials
}

/**
 * Reads the passwords; makes them where there is no cluster yet. They are on disk before a cluster has them.
 * `StartError` where a cluster exists and its passwords are gone, unreadable or damaged.
 */
export const loadCredentials = async (dataDir: string, clusterExists: boolean): Promise<Credentials> => {
  const file = join(dataDir, 'postgres-credentials.json')
  const text = await unlessMissing(readFile(file, 'utf8'), undefined).catch((error) => {
    const message = `${file} cannot be read (${errorCode(error)}): it belongs to the user who made the data folder`
    throw new StartError(message, { cause: error })
  })
  const credentials = text === undefined ? undefined : parse(text)
  if (credentials) return credentials
  if (clusterExists) {
    throw new StartError(
      `${file} is ${text === undefined ? 'missing' : 'damaged'}: the database in the data folder ` +
        'cannot be opened without it; restore it from a backup',
    )
  }
  return create(file)
}
