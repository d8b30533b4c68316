import { isObject } from '../../domain/is-object.js'
import { parseStrictJson } from '../../input/strict-json.js'

/** The parts of a signed token, not verified yet. */
interface CompactToken {
  readonly header: { readonly alg: string; readonly kid: string }
  readonly claims: Readonly<Record<string, unknown>>
}

const LARGEST_TOKEN = 8 * 1024
const THREE_PARTS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/
const KID = /^[A-Za-z0-9._~+/=:-]{1,128}$/
// RFC 9068 §2.1; an ID token (`JWT`) is not an access token (RFC 8725 §3.11)
const TYPES = new Set(['at+jwt', 'application/at+jwt'])
// Header parameters that change what is verified, carry a key, or give a URL to fetch one from. `crit` is refused
// whatever it lists: we support no extensions (RFC 7515 §4.1.11).
const REFUSED = ['crit', 'jku', 'x5u', 'jwk', 'x5c', 'b64', 'enc', 'zip', 'cty']

/**
 * Parses a signed access token in compact form (RFC 7515 §7.1), before any library sees it. Accepts three strict
 * base64url parts of together at most 8 KiB. Header and claims are JSON objects that every parser reads alike, and the
 * header only names an algorithm and a key. Throws an Error that says what is wrong and quotes nothing from the token.
 */
export const parseCompactToken = (text: string): CompactToken => {
  if (text.length > LARGEST_TOKEN) throw new Error('longer than 8 KiB')
  const [, head, body, signature] = THREE_PARTS.exec(text) ?? []
  if (head === undefined || body === undefined || signature === undefined) throw new Error('not three base64url parts')
  decode(signature)
  const header = parseObject(decode(head), 'header')
  const refused = REFUSED.find((name) => Object.hasOwn(header, name))
  if (refused !== undefined) throw new Error(`header parameter ${refused}`)
  const { alg, kid, typ } = header
  if (typeof typ !== 'string' || !TYPES.has(typ.toLowerCase())) throw new Error('typ is not at+jwt')
  if (typeof alg !== 'string') throw new Error('alg is not a string')
  if (typeof kid !== 'string' || !KID.test(kid)) throw new Error('kid is not a short name')
  return { header: { alg, kid }, claims: parseObject(decode(body), 'payload') }
}

/** Strict: no padding, no incomplete byte, no stray bits at the end, so a token has only one spelling. */
const decode = (part: string): Buffer => {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw new Error('not canonical base64url')
  return bytes
}

const parseObject = (bytes: Buffer, what: string): Readonly<Record<string, unknown>> => {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  const parsed = parseStrictJson(text, { maxDepth: 8 })
  if (!parsed.ok) throw new Error(`${what}: ${parsed.fault} JSON`)
  if (!isObject(parsed.value)) throw new Error(`${what} is not an object`)
  return parsed.value
}
