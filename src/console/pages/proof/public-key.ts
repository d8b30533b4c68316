import { binaryIn } from '../../parts/base64url.js'

/** The DER prefix of a P-256 key's point (RFC 5480). */
const HEAD = '3059301306072a8648ce3d020106082a8648ce3d03010703420004'

/** A public key as a PEM file, without `crypto.subtle`, which is missing on pages over plain http. */
export const pemOf = ({ x, y }: { readonly x: string; readonly y: string }): string => {
  const head = HEAD.replaceAll(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)))
  const text = btoa(head + binaryIn(x) + binaryIn(y))
  return ['-----BEGIN PUBLIC KEY-----', ...(text.match(/.{1,64}/g) ?? []), '-----END PUBLIC KEY-----', ''].join('\n')
}
