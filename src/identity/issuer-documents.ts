import { z } from 'zod'

import { isLoopbackOrHttps } from '../domain/url.js'

/** Reads a JSON document of an issuer. Rejects if it is late, larger than 256 KiB, redirected, or not JSON. */
export type ReadDocument = (url: string, signal: AbortSignal) => Promise<unknown>

const MAX_BYTES = 256 * 1024

/** Does not follow redirects: the URL is the configured one, or the one in the discovery document. */
export const readDocument: ReadDocument = (url, signal) => fetchDocument(url, signal).catch(naming(url))

const fetchDocument: ReadDocument = async (url, signal) => {
  const response = await fetch(url, {
    redirect: 'error',
    signal,
    headers: { Accept: 'application/json, application/jwk-set+json' },
  })
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new Error(`answered ${response.status}`)
  }
  return readJson(response.body)
}

type Form = Readonly<Record<string, string>>

interface IssuerAnswer {
  readonly status: number
  readonly document: unknown
}

/** Sends a form to an endpoint of an issuer. Rejects like `readDocument`, but resolves with refusals (4xx). */
export const postForm = (url: string, form: Form, signal: AbortSignal): Promise<IssuerAnswer> =>
  sendForm(url, form, signal).catch(naming(url))

const sendForm = async (url: string, form: Form, signal: AbortSignal): Promise<IssuerAnswer> => {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal,
    headers: { Accept: 'application/json' },
    body: new URLSearchParams(form),
  })
  const { status, body } = response
  if (status >= 500) {
    await body?.cancel()
    throw new Error(`answered ${status}`)
  }
  const isJson = response.headers.get('Content-Type')?.includes('json') === true
  if (!isJson) await body?.cancel()
  return { status, document: isJson && body !== null ? await readJson(body) : undefined }
}

/** An issuer has several URLs, and neither a time limit nor a parser says which of them it was. */
const naming =
  (url: string) =>
  (cause: unknown): never => {
    throw new Error(url, { cause })
  }

const readJson = async (body: AsyncIterable<Uint8Array>): Promise<unknown> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const bytes of body) {
    size += bytes.byteLength
    if (size > MAX_BYTES) throw new Error(`answered more than ${MAX_BYTES} bytes`)
    chunks.push(bytes)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

const discover = async <Shape extends z.ZodRawShape>(
  issuer: string,
  members: Shape,
  read: ReadDocument,
  signal: AbortSignal,
) => {
  const document = await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal)
  const { data, error } = z.object({ issuer: z.literal(issuer), ...members }).safeParse(document)
  if (error) throw new Error(`the discovery document of ${issuer} names another issuer, or no usable address`)
  return data
}

const Address = z.string().refine(isLoopbackOrHttps)

/**
 * The URL of an issuer's keys, from its discovery document (OpenID Connect Discovery 1.0 §4). Throws if the document
 * names another issuer (§4.3), or a URL that is neither https nor on this machine.
 */
export const discoverJwksUri = async (issuer: string, read: ReadDocument, signal: AbortSignal): Promise<string> =>
  (await discover(issuer, { jwks_uri: Address }, read, signal)).jwks_uri

/** The URLs for signing in, and for exchanging and revoking codes and tokens. Throws like `discoverJwksUri`. */
export const discoverSignIn = (issuer: string, read: ReadDocument, signal: AbortSignal) =>
  discover(
    issuer,
    {
      authorization_endpoint: Address,
      token_endpoint: Address,
      revocation_endpoint: Address.optional(),
      scopes_supported: z.array(z.string()).default([]),
    },
    read,
    signal,
  )

export type SignInEndpoints = Awaited<ReturnType<typeof discoverSignIn>>
