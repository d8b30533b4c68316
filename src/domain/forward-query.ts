/**
 * The target with a visitor's query parameters after its own, as they were sent: some are signed. A name that the
 * target has already is left out: nobody who passes a link on can change what its owner has written.
 */
export const forwardQuery = (target: string, querystring: string): string => {
  const own = new URL(target).searchParams
  const added = partsOf(querystring)
    .filter((part) => [...new URLSearchParams(`?${part}`).keys()].every((name) => !own.has(name)))
    .join('&')
  if (added === '') return target
  const [address = '', ...fragment] = target.split('#')
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return [`${address}${joint}${added}`, ...fragment].join('#')
}

/** The parameters as a URL can have them: what is no character of a query is percent-encoded, and nothing else. */
const partsOf = (querystring: string): readonly string[] => {
  // `#` would end the query, and for some servers `;` begins another parameter
  const safe = querystring.replaceAll('#', '%23').replaceAll(';', '%3B')
  return new URL(`http://host/?${safe}`).search
    .slice(1)
    .split('&')
    .filter((part) => part !== '')
}
