import { createPublicKey, type KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import { discoverJwksUri, readDocument, type ReadDocument } from './issuer-documents.js'
import type { KeySource } from './issuer.js'

const FRESH_MS = 10 * 60_000
/** while the issuer is away; a withdrawn key is trusted at most this long */
const USABLE_MS = 24 * 3_600_000
/** for both documents together; less than a request's deadline */
const TIMEOUT_MS = 3_000
/** A token bucket limits fetches to a burst, then one per interval, however many key names callers make up. */
const BURST = 3
/** a newly rotated key waits at most this long for its fetch; less than a request's deadline */
const REFILL_MS = 3_000

interface Key {
  readonly kid: string
  readonly alg: string
  readonly key: KeyObject
}

/**
 * The keys of an external issuer, cached as a whole set. The set is fetched again after 10 minutes, and when a token
 * names a key that is not in it (rotation), at most once in three seconds in the long run. While the issuer is away,
 * the cached set is used for up to 24 hours. Without a set, and for new key names, `find` rejects with
 * `issuer_unavailable` (503).
 */
export const remoteKeys = ({
  issuer,
  jwksUri,
  onFetch,
  read = readDocument,
  now = () => performance.now(),
  pause = delay,
}: {
  readonly issuer: string
  /** undefined: taken from the issuer's discovery document */
  readonly jwksUri: string | undefined
  /** called after each attempt to fetch the keys: with its error, or with null */
  readonly onFetch: (fault: unknown) => void
  readonly read?: ReadDocument
  /** a monotonic clock, in milliseconds */
  readonly now?: () => number
  readonly pause?: (milliseconds: number) => Promise<unknown>
}): KeySource => {
  let keys: readonly Key[] = []
  let fetchedAt = -Infinity
  let away = false
  let fetching: Promise<void> | null = null
  let uri = jwksUri
  let fetches = 0
  const takeTurn = tokenBucket(now)

  const fetchKeys = async (): Promise<void> => {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      uri ??= await discoverJwksUri(issuer, read, signal)
      const found = KeySet.parse(await read(uri, signal)).keys.flatMap(signingKey)
      if (found.length === 0) throw new Error(`${uri} has no key that can be used`)
      keys = found
      fetchedAt = now()
      away = false
      onFetch(null)
    } catch (error) {
      away = true
      // the keys may have moved
      uri = jwksUri
      onFetch(error)
    }
  }
  /** One fetch at a time; concurrent callers share it. */
  const fetchNow = (): Promise<void> => {
    fetches += 1
    fetching = fetchKeys().finally(() => {
      fetching = null
    })
    return fetching
  }
  /** For a known key: fetches again if the rate limit allows. */
  const refresh = async (): Promise<void> => {
    if (fetching === null && takeTurn() === 0) await fetchNow()
    else await fetching
  }
  /**
   * For an unknown name, which may belong to a key that was just rotated in: only a fetch that began after the lookup
   * can prove that there is no such key. All waiting lookups share that fetch.
   */
  const look = async (kid: string): Promise<void> => {
    const before = fetches
    while (!isKnown(kid)) {
      if (fetching !== null) {
        await fetching
        continue
      }
      if (fetches > before) return
      const waitMs = takeTurn()
      if (waitMs === 0) await fetchNow()
      else if (away) return
      else await pause(waitMs)
    }
  }

  const age = () => now() - fetchedAt
  const named = (kid: string) => keys.filter((key) => key.kid === kid)
  const isKnown = (kid: string) => named(kid).length > 0 && age() <= USABLE_MS
  return {
    find: async (kid, alg, beforeFetch) => {
      if (!isKnown(kid)) {
        await beforeFetch?.()
        await look(kid)
      } else if (age() > FRESH_MS) {
        const renewal = refresh()
        // With a good key, nobody waits for an issuer that was away a moment ago.
        if (!away) await renewal
      }
      if (age() > USABLE_MS || (away && named(kid).length === 0))
        throw new Refusal('issuer_unavailable', { headers: { 'Retry-After': '5' } })
      const [key, ...others] = named(kid).filter((each) => each.alg === alg)
      if (key === undefined || others.length > 0)
        throw new Error('no key, or more than one, of this name and algorithm')
      return key.key
    },
  }
}

/** Takes a token and returns 0, or returns the milliseconds until one is free. */
const tokenBucket = (now: () => number) => {
  let left = BURST
  let at = now()
  return (): number => {
    left = Math.min(BURST, left + (now() - at) / REFILL_MS)
    at = now()
    if (left < 1) return Math.ceil((1 - left) * REFILL_MS)
    left -= 1
    return 0
  }
}

/** A JWK Set (RFC 7517 §5). */
const KeySet = z.object({ keys: z.array(z.unknown()) })
/** A public key for signatures. */
const Jwk = z
  .looseObject({
    kid: z.string().min(1),
    alg: z.string().optional(),
    use: z.literal('sig').optional(),
    key_ops: z.array(z.string()).optional(),
  })
  .refine((jwk) => jwk.key_ops?.includes('verify') !== false && jwk['d'] === undefined)

/** Empty if the key cannot be used. A key without an algorithm gets the usual one of its type. */
const signingKey = (given: unknown): readonly Key[] => {
  const { data: jwk } = Jwk.safeParse(given)
  if (jwk === undefined) return []
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const algorithms = algorithmsOf(key)
    const alg = jwk.alg ?? algorithms[0]
    return alg !== undefined && algorithms.includes(alg) ? [{ kid: jwk.kid, alg, key }] : []
  } catch {
    return []
  }
}

const MIN_RSA_BITS = 2_048
const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }

/** The algorithms that a key can be used with; none for a weak key. */
const algorithmsOf = ({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): readonly string[] => {
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= MIN_RSA_BITS ? RSA : []
  const alg = type === 'ec' ? CURVES[details?.namedCurve ?? ''] : undefined
  return alg === undefined ? [] : [alg]
}
