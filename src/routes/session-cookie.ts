import { isLoopbackOrHttps } from '../domain/issuer-url.js'

/** The cookie in which a browser keeps the refresh token of a sign-in. No script can read it. */
export interface SessionCookie {
  readonly name: string
  /** `Set-Cookie` that keeps this value until then */
  readonly keep: (value: string, endsAt: Date) => string
  /** `Set-Cookie` that takes it away */
  readonly clear: string
}

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
  return {
    name,
    keep: (value, endsAt) => set(value, Math.max(0, Math.floor((endsAt.getTime() - Date.now()) / 1_000))),
    clear: set('', 0),
  }
}
