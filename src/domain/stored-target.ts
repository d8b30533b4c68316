import { parseUrl } from './parse-url.js'

/** printable ASCII without the backslash, which only browsers treat as a slash */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/

/** A target as it is stored: unchanged, or percent-encoded if it has other characters than printable ASCII. */
export const storedTarget = (text: string): string => (PLAIN.test(text) ? text : (parseUrl(text)?.href ?? text))
