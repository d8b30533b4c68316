import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/** Where a request came from: its socket and its `X-Forwarded-For` header. */
interface Origin {
  readonly remoteAddress: string | undefined
  readonly forwardedFor: string | undefined
}

/**
 * The client's address in canonical form. Each of our proxies appends the address it saw to `X-Forwarded-For`, so we
 * trust only the last `trustedProxyHops` entries; the first of these is the client's. With 0 hops the header is
 * ignored. If the entry is not an address, the socket's address is used.
 */
export const clientAddress = ({ remoteAddress, forwardedFor }: Origin, trustedProxyHops: number): string => {
  const socket = canonical(remoteAddress ?? '') ?? 'unknown'
  if (trustedProxyHops <= 0 || forwardedFor === undefined) return socket
  const [first] = forwardedFor.split(',').slice(-trustedProxyHops)
  return canonical(withoutPort((first ?? '').trim())) ?? socket
}

/** Whether an address, in any spelling, belongs to the loopback interface. */
export const isLoopback = (address: string): boolean => {
  const known = canonical(address)
  return known === '::1' || known?.startsWith('127.') === true
}

/**
 * The bucket in which an address is counted: an IPv4 address by itself, an IPv6 address with its whole /64, because
 * every subscriber has at least a /64 to pick addresses from (RFC 6177).
 */
export const addressBucket = (address: string): string => {
  const known = canonical(address)
  if (known === null) return 'unknown'
  return isIPv4(known) ? known : `${groupsOf(known).slice(0, 4).join(':')}::/64`
}

/** Some proxies append the port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]+)\](?::\d{1,5})?$/.exec(entry)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(entry)?.[1] ?? entry

/** The canonical spelling of an address. An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) becomes the IPv4 address. */
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
