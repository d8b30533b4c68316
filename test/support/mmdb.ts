/**
 * A file in MaxMind's database format (version 2.0 of its specification) that knows one network of IPv4 addresses: the
 * smallest that a reader takes.
 */
export const mmdbFile = (network: string, prefix: number, country: string, type = 'Test-Country'): Buffer => {
  const bits = network
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
    .slice(0, prefix)
  const found = prefix + 16
  // each node leads on by one bit of the network, and nowhere by the other
  const tree = Buffer.concat(
    [...bits].map((bit, depth) => {
      const next = depth === prefix - 1 ? found : depth + 1
      return record(bit === '0' ? [next, prefix] : [prefix, next])
    }),
  )
  const metadata = map([
    ['node_count', uint(6, prefix)],
    ['record_size', uint(5, 24)],
    ['ip_version', uint(5, 4)],
    ['database_type', text(type)],
    ['languages', Buffer.from([0, 4])],
    ['binary_format_major_version', uint(5, 2)],
    ['binary_format_minor_version', uint(5, 0)],
    ['build_epoch', Buffer.from([0x04, 0x02, 0x65, 0x00, 0x00, 0x00])],
    ['description', map([])],
  ])
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    map([['country', map([['iso_code', text(country)]])]]),
    Buffer.from('\u00ab\u00cd\u00efMaxMind.com', 'latin1'),
    metadata,
  ])
}

const record = (values: readonly number[]): Buffer =>
  Buffer.from(values.flatMap((value) => [(value >> 16) & 255, (value >> 8) & 255, value & 255]))
const text = (value: string): Buffer => Buffer.concat([Buffer.from([(2 << 5) | value.length]), Buffer.from(value)])
const uint = (type: number, value: number): Buffer => Buffer.from([(type << 5) | 2, (value >> 8) & 255, value & 255])
const map = (entries: readonly (readonly [string, Buffer])[]): Buffer =>
  Buffer.concat([Buffer.from([(7 << 5) | entries.length]), ...entries.flatMap(([name, value]) => [text(name), value])])
