import { createHmac, sign, type KeyObject } from 'node:crypto'

/** What to put into a part: an object becomes JSON, a text is taken as it is. */
export type Part = string | Readonly<Record<string, unknown>> | readonly unknown[]

export const encodePart = (part: Part | Buffer): string =>
  (Buffer.isBuffer(part) ? part : Buffer.from(typeof part === 'string' ? part : JSON.stringify(part))).toString(
    'base64url',
  )

/** Signs any two parts with an EC key, however wrong they are: what no library would make. */
export const signRaw = (
  key: KeyObject,
  header: Part,
  payload: Part | Buffer,
  { hash = 'sha256', dsaEncoding = 'ieee-p1363' as 'ieee-p1363' | 'der' } = {},
): string => {
  const input = `${encodePart(header)}.${encodePart(payload)}`
  return `${input}.${sign(hash, Buffer.from(input), { key, dsaEncoding }).toString('base64url')}`
}

/** Signs with HMAC, as who hopes that the public key is taken for a secret. */
export const signHmac = (secret: string | Buffer, header: Part, payload: Part): string => {
  const input = `${encodePart(header)}.${encodePart(payload)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
