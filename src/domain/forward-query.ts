import type { Link } from './link.js'

/** Where a link leads a visitor with this query. */
export const targetFor = (
  { target, forward_query: forwards }: Pick<Link, 'target' | 'forward_query'>,
  querystring: string,
): string => (forwards && querystring !== '' ? forwardQuery(target, querystring) : target)

/**
 * Appends a visitor's query parameters to the target's, unchanged, since some are signed. Leaves out names that the
 * target already has, so that nobody who passes a link on can override what its owner wrote.
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

/** The parameters in URL form: characters that a query cannot contain are percent-encoded, and nothing else. */
const partsOf = (querystring: string): readonly string[] => {
  // `#` would end the query, and some servers start another parameter at `;`
  const safe = querystring.replaceAll('#', '%23').replaceAll(';', '%3B')
  return new URL(`http://host/?${safe}`).search
    .slice(1)
    .split('&')
    .filter((part) => part !== '')
}
