import { createHash, createHmac } from 'node:crypto'

import type { Context } from 'koa'

import { Refusal } from '../domain/refusal.js'

/** Makes a creation safe to retry. */
export interface IdempotencyKey {
  /** SHA-256 of the key */
  readonly hash: Buffer
  /**
   * HMAC-SHA-256 of the request under the key, independent of the order and spacing of the body's members. It is keyed
   * because it is stored, and a password in the body must not be guessable from it.
   */
  readonly fingerprint: Buffer
}

// RFC 9110 §5.5: visible ASCII. Node joins repeated headers with a comma and a space, so they are refused too.
const KEY = /^[\x21-\x7e]{1,255}$/

/** The request's `Idempotency-Key`, or null. 400 for an invalid one. */
export const idempotencyKeyOf = (
  ctx: Context,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: unknown },
): IdempotencyKey | null => {
  const key = ctx.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new Refusal('invalid_request', {
      errors: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters, sent once' }],
    })
  }
  const request = JSON.stringify([method, path, canonical(body)])
  return {
    hash: createHash('sha256').update(key).digest(),
    fingerprint: createHmac('sha256', key).update(request).digest(),
  }
}

/** Objects as lists of members, sorted by name. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, each]): readonly [string, unknown] => [name, canonical(each)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
