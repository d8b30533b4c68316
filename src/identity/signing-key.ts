import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID, type KeyObject } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

import { calculateJwkThumbprint } from 'jose'

import { errorCode } from '../domain/thrown.js'
import { StartError } from '../domain/start-error.js'
import { syncFolder } from '../files.js'

const MAX_BYTES = 16 * 1024
// A second block could hold a key of another algorithm or another owner.
const ONE_KEY = /^\s*-----BEGIN (?:EC )?PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END (?:EC )?PRIVATE KEY-----\s*$/

/**
 * Reads the service's private key (PEM, EC P-256), which signs the decision log and its own issuer's tokens. Throws a
 * StartError that names the file if it is missing, not readable, readable by others, or anything but one unencrypted
 * key of this kind.
 */
export const loadSigningKey = async (file: string) => {
  const text = await readPrivate(file)
  if (text === null)
    throw new StartError(
      `there is no signing key ${file}: JWT_SIGNING_KEY_FILE has to name one; without that setting the first ` +
        '"linkgate serve" makes one in DATA_DIR',
    )
  return toSigningKey(text, file)
}

/**
 * The same, but makes the file with mode 0600 if it is missing, and only once if several processes start together.
 * `onMade` is called in the process that made it.
 */
export const loadOrMakeSigningKey = async (file: string, onMade: () => void = () => undefined) => {
  const found = await readPrivate(file)
  return toSigningKey(found ?? (await createFile(file, onMade)), file)
}

/**
 * The file's text; null if there is no file. All checks use the open file, so that it cannot be swapped between them.
 */
const readPrivate = async (file: string): Promise<string | null> => {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw new StartError(`the signing key ${file} cannot be read (${errorCode(error)})`, { cause: error })
  })
  if (handle === null) return null
  try {
    const stat = await handle.stat()
    if (!stat.isFile() || stat.size > MAX_BYTES)
      throw new StartError(`the signing key ${file} is not a file with one key`)
    const mode = stat.mode & 0o777
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new StartError(`the signing key ${file} is open to other users (mode ${mode.toString(8)}); chmod 600 it`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/**
 * Makes a key and its file. The file appears whole or not at all, and never replaces another: it is written to a
 * temporary file and linked into place, so that one process wins and the others read its file.
 */
const createFile = async (file: string, onMade: () => void): Promise<string> => {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const draft = `${file}.${randomUUID()}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    try {
      await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true })
      await link(draft, file)
    } finally {
      await rm(draft, { force: true })
    }
    await syncFolder(dirname(file))
    onMade()
    return text
  } catch (error) {
    const theirs = errorCode(error) === 'EEXIST' ? await readPrivate(file) : null
    if (theirs !== null) return theirs
    throw new StartError(`the signing key ${file} cannot be made (${errorCode(error)})`, { cause: error })
  }
}

const toSigningKey = async (text: string, file: string) => {
  const privateKey = ONE_KEY.test(text) ? parsePrivateKey(text) : null
  if (privateKey?.asymmetricKeyType !== 'ec' || privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new StartError(`the signing key ${file} must hold exactly one unencrypted EC P-256 private key in PEM form`)
  const publicKey = createPublicKey(privateKey)
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  /** the thumbprint (RFC 7638), the same on all nodes with the file */
  const kid = await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y })
  /** as `/.well-known/jwks.json` shows it (RFC 7517) */
  const jwk = { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' } as const
  return { kid, privateKey, publicKey, jwk }
}

/** The key pair of the installation. */
export type SigningKey = Awaited<ReturnType<typeof toSigningKey>>

const parsePrivateKey = (text: string): KeyObject | null => {
  try {
    return createPrivateKey(text)
  } catch {
    return null
  }
}
