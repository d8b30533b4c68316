import { isLoopbackOrHttps } from '../domain/issuer-url.js'

/** The cookie in which a browser keeps the refresh token of a sign-in. No script can read it. */
export interface SessionCookie {
  readonly name: string
  /** `Set-Cookie` that keeps this value until then. One that is too long for a browser is not kept. */
  readonly keep: (value: string, endsAt: Date) => string
  /** `Set-Cookie` that takes it away */
  readonly clear: string
  /** the value in what a browser sent; null where there is none */
  readonly valueOf: (sent: string | undefined) => string | null
}

/** RFC 6265 §6.1: browsers take 4,096 bytes of a cookie, name and attributes included. */
const MOST = 3_900

/**
 * The cookie of a service with this origin. Null over plain http, where anybody on the way could read it: only on
 * this machine nobody is on the way.
 */
export const sessionCookie = (baseUrl: string): SessionCookie | null => {
  if (!isLoopbackOrHttps(baseUrl)) return null
  // the prefix lets no other host of the domain set it; browsers take it with `Secure` and the whole path alone
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
