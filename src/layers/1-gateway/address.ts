import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/** What a request says of where it came from. */
export interface Origin {
  readonly remoteAddress: string | undefined
  readonly forwardedFor: string | undefined
}

/** What a request says of who sent it last. */
export interface Sender {
  readonly remoteAddress: string | undefined
  /** whether a proxy says that it passes the request on */
  readonly forwarded: boolean
}

/**
 * The address of whoever sent the request, in canonical form. Each of our own proxies appends the address it saw to
 * `X-Forwarded-For`, so only the last `trustedProxyHops` entries were written by somebody we trust; of those the first
 * is the client's. With 0 hops the header is ignored. What is not an address counts as the socket's own.
 */
export const clientAddress = ({ remoteAddress, forwardedFor }: Origin, trustedProxyHops: number): string => {
  const socket = canonical(remoteAddress ?? '') ?? 'unknown'
  if (trustedProxyHops <= 0 || forwardedFor === undefined) return socket
  const [first] = forwardedFor.split(',').slice(-trustedProxyHops)
  return canonical(withoutPort((first ?? '').trim())) ?? socket
}

/** Whether this machine itself sent the request, and no proxy on it says that it passes one on for somebody. */
export const isFromThisMachine = ({ remoteAddress, forwarded }: Sender): boolean =>
  !forwarded && isLoopback(remoteAddress ?? '')

/** Whether an address, in any spelling, is one of the loopback interface. */
export const isLoopback = (address: string): boolean => {
  const known = canonical(address)
  return known === '::1' || known?.startsWith('127.') === true
}

/**
 * The bucket in which an address is counted: an IPv4 address alone, an IPv6 address with its whole /64, because that is
 * the least that a subscriber is given to choose from (RFC 6177).
 */
export const addressBucket = (address: string): string => {
  const known = canonical(address)
  if (known === null) return 'unknown'
  return isIPv4(known) ? known : `${groupsOf(known).slice(0, 4).join(':')}::/64`
}

/** Some proxies append the port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]+)\](?::\d{1,5})?$/.exec(entry)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(entry)?.[1] ?? entry

/** One spelling for one address; an IPv4 address written as IPv6 (RFC 4291 §2.5.5.2) is that IPv4 address. */
const canonical = (text: string): string | null => {
  if (isIPv4(text)) return text
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(text) ?? []
  if (mapped !== undefined && isIPv4(mapped)) return mapped
  const address = text.replace(/%[\w.-]+$/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return null
  const groups = groupsOf(address)
  if (groups.slice(0, 5).some((group) => group !== '0') || groups[5] !== 'ffff') {
    return new SocketAddress({ address, family: 'ipv6' }).address
  }
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.')
}

/** The eight groups of an IPv6 address in lower-case hex without leading zeros. */
const groupsOf = (address: string): readonly string[] => {
  const [head = [], tail = []] = address
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').flatMap(groupOrIPv4)))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16).toString(16))
}

const groupOrIPv4 = (part: string): readonly string[] => {
  if (!part.includes('.')) return [part]
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
}
