import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

import { calculateJwkThumbprint } from 'jose'

import { StartError } from '../domain/start-error.js'

/** A public key as `/.well-known/jwks.json` shows it (RFC 7517). */
export interface PublicJwk {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly kid: string
  readonly alg: 'ES256'
  readonly use: 'sig'
}

/** The own issuer's key pair. `kid` is the key's thumbprint (RFC 7638), so nodes that share the file share the name. */
export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly jwk: PublicJwk
}

const LARGEST_FILE = 16 * 1024
// A file of this kind holds one key; a second block could be another algorithm's key, or somebody else's.
const ONE_KEY = /^\s*-----BEGIN (?:EC )?PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END (?:EC )?PRIVATE KEY-----\s*$/

/**
 * Reads the own issuer's private key (PEM, EC P-256) and, where the file is not there, makes it: once, with mode 0600,
 * also where several processes start at the same time. Throws a StartError that names the file for whatever is not
 * exactly that: unreadable, readable by others, another or a weak kind of key, several keys, an encrypted one.
 */
export const loadSigningKey = async (file: string): Promise<SigningKey> => {
  const text = (await readPrivate(file)) ?? (await createFile(file))
  return toSigningKey(text, file)
}

/**
 * The file's text; null where there is no file. All questions go to the opened file, so it cannot be exchanged in
 * between.
 */
const readPrivate = async (file: string): Promise<string | null> => {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null
    throw new StartError(`the signing key ${file} cannot be read (${codeOf(error)})`, { cause: error })
  })
  if (handle === null) return null
  try {
    const stat = await handle.stat()
    if (!stat.isFile() || stat.size > LARGEST_FILE)
      throw new StartError(`the signing key ${file} is not a file with one key`)
    if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
      throw new StartError(
        `the signing key ${file} is open to other users (mode ${(stat.mode & 0o777).toString(8)}); chmod 600 it`,
      )
    }
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/**
 * Makes a key and its file. The file appears whole or not at all, and never replaces another: it is written beside its
 * place and then linked there, so of two processes one wins and the other reads what the winner wrote.
 */
const createFile = async (file: string): Promise<string> => {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const draft = `${file}.${randomUUID()}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeDurably(draft, text)
    try {
      await link(draft, file)
    } finally {
      await unlink(draft)
    }
    await syncFolder(dirname(file))
    return text
  } catch (error) {
    const theirs = codeOf(error) === 'EEXIST' ? await readPrivate(file) : null
    if (theirs !== null) return theirs
    throw new StartError(`the signing key ${file} cannot be made (${codeOf(error)})`, { cause: error })
  }
}

const writeDurably = async (file: string, text: string): Promise<void> => {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Some systems cannot sync a folder; the key is then as durable as they make it. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

const toSigningKey = async (text: string, file: string): Promise<SigningKey> => {
  const privateKey = ONE_KEY.test(text) ? parsePrivateKey(text) : null
  if (privateKey?.asymmetricKeyType !== 'ec' || privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new StartError(`the signing key ${file} must hold exactly one unencrypted EC P-256 private key in PEM form`)
  }
  const publicKey = createPublicKey(privateKey)
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const kid = await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y })
  return { kid, privateKey, publicKey, jwk: { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' } }
}

const parsePrivateKey = (text: string): KeyObject | null => {
  try {
    return createPrivateKey(text)
  } catch {
    return null
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error'
