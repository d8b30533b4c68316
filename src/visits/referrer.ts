import { parseUrl } from '../domain/url.js'

const MOST_CHARACTERS = 253
const WEB = /^https?:$/

/**
 * The host of a Referer, without port, `www.` or a final dot. Null if there is no Referer, if it is not http(s), or if
 * it is the service itself.
 */
export const referrerOf = (referer: string | undefined, ownHost: string): string | null => {
  const url = referer === undefined ? null : parseUrl(referer)
  if (url === null) return null
  const hostname = withoutDot(url.hostname)
  if (!WEB.test(url.protocol) || hostname === withoutDot(ownHost)) return null
  const host = hostname.replace(/^www\.(?=.+\..)/, '')
  return host === '' || host.length > MOST_CHARACTERS ? null : host
}

/** Hosts with and without a final dot are the same. */
const withoutDot = (host: string): string => host.replace(/\.$/, '')
