/**
 * The URL in a text, or null. Use it instead of `URL.canParse`: in Node.js 20, once that has been optimized (after some
 * thousand calls), it returns false for every text with a letter between U+0080 and U+00FF.
 */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** True for a URL that signing keys may be fetched from: plain http is only safe on this machine. */
export const isLoopbackOrHttps = (text: string): boolean => {
  const url = parseUrl(text)
  if (url === null) return false
  const { protocol, hostname, username, password } = url
  return (
    (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) && username === '' && password === ''
  )
}

/** printable ASCII without the backslash, which only browsers treat as a slash */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/

/** A target as it is stored: unchanged, or percent-encoded if it has other characters than printable ASCII. */
export const storedTarget = (text: string): string => (PLAIN.test(text) ? text : (parseUrl(text)?.href ?? text))
