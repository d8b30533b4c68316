import { isLoopbackOrHttps } from '../domain/issuer-url.js'

/** Reads a JSON document of an issuer. Rejects for whatever is not that: late, large, moved, of another status. */
export type ReadDocument = (url: string, signal: AbortSignal) => Promise<unknown>

const LARGEST = 256 * 1024

/** Redirects are not followed: the address is the one that was configured, or that the discovery document named. */
export const readDocument: ReadDocument = async (url, signal) => {
  const response = await fetch(url, {
    redirect: 'error',
    signal,
    headers: { Accept: 'application/json, application/jwk-set+json' },
  })
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new Error(`${url} answered ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    const bytes: Uint8Array = chunk
    size += bytes.byteLength
    if (size > LARGEST) throw new Error(`${url} answered more than ${LARGEST} bytes`)
    chunks.push(bytes)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/**
 * The address of an issuer's keys, from its discovery document (OpenID Connect Discovery 1.0 §4). Throws where the
 * document is another issuer's (§4.3), or names an address that is neither https nor on this machine.
 */
export const discoverJwksUri = async (issuer: string, read: ReadDocument, signal: AbortSignal): Promise<string> => {
  const document = await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal)
  const { issuer: named, jwks_uri: uri } = isObject(document) ? document : {}
  if (named !== issuer) throw new Error(`the discovery document of ${issuer} names another issuer`)
  if (typeof uri !== 'string' || !isLoopbackOrHttps(uri))
    throw new Error(`the discovery document of ${issuer} has no jwks_uri that may be used`)
  return uri
}

/** The keys of a JWK Set (RFC 7517 §5). */
export const readKeySet = async (
  uri: string,
  read: ReadDocument,
  signal: AbortSignal,
): Promise<{ readonly keys: readonly unknown[] }> => {
  const set = await read(uri, signal)
  const keys: unknown = isObject(set) ? set['keys'] : undefined
  if (!Array.isArray(keys)) throw new Error(`${uri} is no JWK Set`)
  return { keys: keys.filter(isObject) }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
