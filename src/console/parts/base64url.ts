/** Bytes as base64url (RFC 4648, section 5), without padding. */
export const toBase64url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** The bytes of a text in base64url, each as a character. Throws if it is none. */
export const binaryIn = (base64url: string): string => atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
