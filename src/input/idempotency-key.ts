import { createHash } from 'node:crypto'

import type { Context } from 'koa'

import { Refusal } from '../domain/refusal.js'

// RFC 9110 §5.5: visible ASCII. Two such headers arrive joined by a comma and a space, so they are refused too.
const KEY = /^[\x21-\x7e]{1,255}$/

/** The caller's `Idempotency-Key` as it is, quoted or not; undefined where none was sent. 400 for what is no key. */
export const idempotencyKeyOf = (ctx: Context): string | undefined => {
  const key = ctx.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && KEY.test(key)) return key
  throw new Refusal('invalid_request', {
    errors: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters, sent once' }],
  })
}

/** What a request asks for, as SHA-256: the same for the same body, however its members are ordered and spaced. */
export const fingerprintOf = ({
  method,
  path,
  body,
}: {
  readonly method: string
  readonly path: string
  readonly body: unknown
}): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([method, path, ordered(body)]))
    .digest()

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, each]): readonly [string, unknown] => [name, ordered(each)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
