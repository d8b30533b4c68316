/** An address without the part that identifies a household: IPv4 is cut to its /24, IPv6 to its /48. */
export const networkOf = (address: string): string => {
  const [, a, b, c] = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.\d{1,3}$/i.exec(address) ?? []
  if (a !== undefined) return `${a}.${b}.${c}.0/24`
  const [head = ''] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  return `${groups.slice(0, 3).join(':')}::/48`
}
