import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import { JwksClient } from 'jwks-rsa'

import { Refusal } from '../domain/refusal.js'
import { discoverJwksUri, readDocument, readKeySet } from './issuer-documents.js'
import type { ReadDocument } from './issuer-documents.js'
import type { KeySource } from './key-source.js'

export interface RemoteKeysOptions {
  readonly issuer: string
  /** undefined: where the issuer's discovery document says */
  readonly jwksUri: string | undefined
  /** told when keys could not be had */
  readonly onFault: (error: unknown) => void
  readonly read?: ReadDocument
  /** milliseconds that only go forward */
  readonly now?: () => number
}

/** Milliseconds. */
const FRESH = 10 * 60_000
/** how long keys are good without news of the issuer: a key that it withdrew is believed no longer than that */
const USABLE = 24 * 3_600_000
/** for both documents together; less than a request may take */
const TIMEOUT = 3_000
/**
 * Questions to the issuer: so many at once, then one each so many milliseconds, however many names of keys are
 * invented.
 */
const BURST = 3
const EACH = 20_000
const SMALLEST_RSA = 2_048

interface Key {
  readonly kid: string
  readonly alg: string
  readonly key: KeyObject
}
interface KeySet {
  readonly keys: readonly Key[]
  readonly at: number
}

/**
 * The keys of an external issuer. A set is asked for anew after 10 minutes, and when a token names a key that is not in
 * it (rotation), within the bound above. An issuer that is away changes nothing for 24 hours where there is a set;
 * without one, and for names that are not in it, `find` rejects with `issuer_unavailable` (503).
 */
export const remoteKeys = ({
  issuer,
  jwksUri,
  onFault,
  read = readDocument,
  now = () => performance.now(),
}: RemoteKeysOptions): KeySource => {
  let held: KeySet | null = null
  let away = false
  let asking: Promise<void> | null = null
  let uri = jwksUri
  const mayAsk = allowance(now)

  const client = new JwksClient({
    cache: false,
    // The set is kept here and whole: the library's cache keeps keys one by one, and its limit, once used up by
    // invented names, would refuse the renewal of a key that everybody uses.
    fetcher: async () => {
      const signal = AbortSignal.timeout(TIMEOUT)
      uri ??= await discoverJwksUri(issuer, read, signal)
      return { ...(await readKeySet(uri, read, signal)) }
    },
  })

  const ask = async (): Promise<void> => {
    try {
      held = {
        keys: (await client.getSigningKeys()).flatMap((key) => toKey(key.kid, key.alg, key.getPublicKey())),
        at: now(),
      }
      away = false
    } catch (error) {
      away = true
      // where the keys are may have changed as well
      uri = jwksUri
      onFault(error)
    }
  }
  /** One question at a time: whoever comes meanwhile waits for the same answer. */
  const renew = async (): Promise<void> => {
    if (asking === null) {
      if (!mayAsk()) return
      asking = ask().finally(() => {
        asking = null
      })
    }
    await asking
  }

  const age = () => (held === null ? Infinity : now() - held.at)
  const named = (kid: string) => held?.keys.filter((key) => key.kid === kid) ?? []
  return {
    find: async (kid, alg) => {
      const known = named(kid).length > 0 && age() <= USABLE
      if (!known || age() > FRESH) {
        const renewal = renew()
        // who has a good key does not wait for an issuer that was away when it was last asked
        if (!known || !away) await renewal
      }
      if (age() > USABLE || (away && named(kid).length === 0))
        throw new Refusal('issuer_unavailable', { headers: { 'Retry-After': '5' } })
      const [key, ...others] = named(kid).filter((each) => each.alg === alg)
      if (key === undefined || others.length > 0)
        throw new Error('no key, or more than one, of this name and algorithm')
      return key.key
    },
  }
}

/** A bucket of tokens: BURST of them, one more each EACH milliseconds. */
const allowance = (now: () => number) => {
  let left = BURST
  let at = now()
  return (): boolean => {
    left = Math.min(BURST, left + (now() - at) / EACH)
    at = now()
    if (left < 1) return false
    left -= 1
    return true
  }
}

/** One key, one algorithm: what the key says of itself, or else the one that is usual for its kind (RFC 8725 §3.1). */
const toKey = (kid: string | undefined, stated: string | undefined, pem: string): readonly Key[] => {
  const key = createPublicKey(pem)
  const fitting = algorithmsOf(key)
  const alg = stated ?? fitting[0]
  return kid !== undefined && alg !== undefined && fitting.includes(alg) ? [{ kid, alg, key }] : []
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }
const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']

/** None for keys that are too weak, or of a kind that is not used here. */
const algorithmsOf = ({
  asymmetricKeyType: type,
  asymmetricKeyDetails: { modulusLength = 0, namedCurve = '' } = {},
}: KeyObject): readonly string[] => {
  if (type === 'rsa') return modulusLength >= SMALLEST_RSA ? RSA : []
  const alg = type === 'ec' ? CURVES[namedCurve] : undefined
  return alg === undefined ? [] : [alg]
}
