import { z } from 'zod'

import { isLoopbackOrHttps } from '../domain/issuer-url.js'

/** Reads a JSON document of an issuer. Rejects where it is late, larger than 256 KiB, moved, or no JSON. */
export type ReadDocument = (url: string, signal: AbortSignal) => Promise<unknown>

const MAX_BYTES = 256 * 1024

/** Does not follow redirects: the address is the configured one, or the one that the discovery document names. */
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
    if (size > MAX_BYTES) throw new Error(`${url} answered more than ${MAX_BYTES} bytes`)
    chunks.push(bytes)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/**
 * The address of an issuer's keys, from its discovery document (OpenID Connect Discovery 1.0 §4). Throws where the
 * document names another issuer (§4.3), or an address that is neither https nor on this machine.
 */
export const discoverJwksUri = async (issuer: string, read: ReadDocument, signal: AbortSignal): Promise<string> => {
  const document = await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal)
  const Discovery = z.object({ issuer: z.literal(issuer), jwks_uri: z.string().refine(isLoopbackOrHttps) })
  const { data } = Discovery.safeParse(document)
  if (!data) throw new Error(`the discovery document of ${issuer} names another issuer, or no usable jwks_uri`)
  return data.jwks_uri
}
