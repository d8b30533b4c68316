import { isLoopbackOrHttps } from '../domain/url.js'

/** RFC 6265 §6.1: browsers accept 4,096 bytes per cookie, name and attributes included. */
const MOST = 3_900

/**
 * The cookie with the refresh token of a browser's sign-in, for a service with this origin. Scripts cannot read it.
 * Null over plain http, where anybody on the way could; plain http is safe only on this machine.
 */
export const sessionCookie = (baseUrl: string) => {
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
    /** `Set-Cookie` for this value until this time; clears the cookie if the value is too long for a browser */
    keep: (value: string, endsAt: Date): string => {
      const encoded = encodeURIComponent(value)
      const seconds = Math.floor((endsAt.getTime() - Date.now()) / 1_000)
      return encoded.length > MOST || seconds <= 0 ? clear : set(encoded, seconds)
    },
    /** `Set-Cookie` that removes it */
    clear,
    /** the value in a cookie that a browser sent; null if there is none */
    valueOf: (sent = ''): string | null => {
      try {
        return decodeURIComponent(sent) || null
      } catch {
        return null
      }
    },
  }
}

export type SessionCookie = NonNullable<ReturnType<typeof sessionCookie>>
