/**
 * The target with a visitor's query parameters after its own. A name that the target has already is left out: nobody
 * who passes a link on can change what its owner has written.
 */
export const forwardQuery = (target: string, querystring: string): string => {
  const own = new URL(target).searchParams
  const added = new URLSearchParams([...new URLSearchParams(querystring)].filter(([name]) => !own.has(name))).toString()
  if (added === '') return target
  const [address = '', ...fragment] = target.split('#')
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return [`${address}${joint}${added}`, ...fragment].join('#')
}
