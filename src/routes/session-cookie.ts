import { isLoopbackOrHttps } from '../domain/issuer-url.js'

/** The cookie with the refresh token of a browser's sign-in. Scripts cannot read it. */
export interface SessionCookie {
  readonly name: string
  /** `Set-Cookie` for this value until this time; clears the cookie if the value is too long for a browser */
  readonly keep: (value: string, endsAt: Date) => string
  /** `Set-Cookie` that removes it */
  readonly clear: string
  /** the value in a cookie that a browser sent; null if there is none */
  readonly valueOf: (sent: string | undefined) => string | null
}

/** RFC 6265 §6.1: browsers accept 4,096 bytes per cookie, name and attributes included. */
const MOST = 3_900

/**
 * The cookie of a service with this origin. Null over plain http, where anybody on the way could read it; plain http is
 * safe only on this machine.
 */
export const sessionCookie = (baseUrl: string): SessionCookie | null => {
  if (!isLoopbackOrHttps(baseUrl)) return null
  // the prefix stops other hosts of the domain from setting it; browsers require `Secure` and `Path=/` for it
  const [name, place] = baseUrl.startsWith('https:')
    ? ['__Host-linkgate', 'Path=/; Secure']
    : ['linkgate', 'Path=/auth/session']
  const set = (value: string, seconds: number) =>
    `${name}=${value}; ${place}; HttpOnly; SameSite=Strict; Max-Age=${seconds}`
  const clear = set('', 0)
  return {
    name,
    keep: (value, endsAt) => {
      const encoded = encodeURIComponent(value)
      const seconds = Math.floor((endsAt.getTime() - Date.now()) / 1_000)
      return encoded.length > MOST || seconds <= 0 ? clear : set(encoded, seconds)
    },
    clear,
    valueOf: (sent = '') => {
      try {
        return decodeURIComponent(sent) || null
      } catch {
        return null
      }
    },
  }
}
