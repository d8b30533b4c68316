import { BlockList, isIP } from 'node:net'

import { z } from 'zod'

import { isEveryAddress } from '../domain/every-address.js'
import { parseUrl, storedTarget } from '../domain/url.js'
import { isStorable } from '../domain/text.js'

const LONGEST = 2_048

/** The addresses under which this service can be reached. */
export interface OwnPlace {
  /** the public origin */
  readonly baseUrl: string
  /** where it listens */
  readonly host: string
  readonly port: number
  /** addresses of this machine's network interfaces */
  readonly addresses: readonly string[]
}

const HTTP_PORT = 80
const HTTPS_PORT = 443
const portOf = ({ port, protocol }: URL): number =>
  Number(port === '' ? (protocol === 'https:' ? HTTPS_PORT : HTTP_PORT) : port)

/** `example.com.` is the same host as `example.com`; an IPv6 address without its brackets. */
const nameOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Matches loopback names and addresses, and the addresses of this machine where the service listens; IPv4 also if
 * written as IPv6.
 */
const thisMachine = ({ host, addresses }: OwnPlace) => {
  const list = new BlockList()
  list.addSubnet('127.0.0.0', 8)
  list.addSubnet('0.0.0.0', 8)
  list.addAddress('::', 'ipv6')
  list.addAddress('::1', 'ipv6')
  list.addSubnet('::7f00:0', 104, 'ipv6')
  for (const address of (isEveryAddress(host) ? addresses : [host]).filter(isIP))
    list.addAddress(address, familyOf(address))
  return (name: string): boolean =>
    name === 'localhost' || name.endsWith('.localhost') || (isIP(name) !== 0 && list.check(name, familyOf(name)))
}

/** Whether a URL leads back to this service: by its public name, or by any name of this machine. */
const leadsHere = (place: OwnPlace) => {
  const base = new URL(place.baseUrl)
  const isThisMachine = thisMachine(place)
  const publicPort = portOf(base)
  // an https server usually also redirects from http
  const publicPorts = base.port === '' ? [HTTP_PORT, HTTPS_PORT] : [publicPort]
  return (url: URL): boolean => {
    const [name, port] = [nameOf(url), portOf(url)]
    const isPublic = name === nameOf(base) || (isThisMachine(name) && isThisMachine(nameOf(base)))
    if (isPublic && publicPorts.includes(port)) return true
    return port === place.port && (isPublic || isThisMachine(name))
  }
}

/**
 * A link's target: an absolute http or https URL without credentials, at most 2,048 characters, and not on this service
 * itself (links to links could form loops, and would lend our name to what they hide). Non-ASCII text is stored
 * percent-encoded, everything else exactly as given.
 */
export const targetRule = (place: OwnPlace) => {
  const isOwn = leadsHere(place)
  return z
    .string()
    .max(LONGEST, `must be at most ${LONGEST} characters`)
    .transform((text, context) => {
      const refuse = (message: string) => {
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
      // eslint-disable-next-line no-control-regex -- control characters are what it looks for
      if (/[\u0000-\u0020\u007f\\]/.test(text))
        return refuse('must not contain spaces, control characters or backslashes')
      // URL would replace it
      if (!isStorable(text)) return refuse('must not contain half a character')
      // a third slash leaves no host (RFC 3986); URL, as browsers do, would skip it
      const url = /^https?:\/\/[^/]/i.test(text) ? parseUrl(text) : null
      if (url === null) return refuse('must be an absolute http or https URL')
      if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text))
        return refuse('must not contain credentials')
      if (isOwn(url)) return refuse('must not be on this service itself')
      const kept = storedTarget(text)
      return kept.length > LONGEST ? refuse(`must be at most ${LONGEST} characters`) : kept
    })
    .meta({
      format: 'uri',
      description: 'an absolute http or https URL without credentials, and not on this service itself',
      examples: ['https://example.com/spring'],
    })
}
