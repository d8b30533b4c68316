import { expect } from 'chai'
import { assert, constantFrom, integer, oneof, property, string } from 'fast-check'

import { forwardQuery } from '../../src/domain/forward-query.js'

const TARGET = 'https://example.com/p?a=1&%62=2#top'
const pairsOf = (query: string) => [...new URLSearchParams(`?${query}`)]

describe('a visitor’s query', () => {
  it('arrives as it was sent, and ends nothing of the target', () => {
    for (const [query, added] of [
      ['q=%E4&flag&r=a%20b', '&q=%E4&flag&r=a%20b'],
      ["sig=~!*()'/+==", '&sig=~!*()%27/+=='],
      ['q=1&&a=2&b=3&%61=4&r=5', '&q=1&r=5'],
      ['q=#x;a=2', '&q=%23x%3Ba=2'],
      ['q=<"ä>', '&q=%3C%22%C3%A4%3E'],
    ] as const)
      expect(forwardQuery(TARGET, query)).to.equal(`https://example.com/p?a=1&%62=2${added}#top`)
  })

  it('keeps each of the visitor’s parameters but those that the target has, whatever is sent', () => {
    // what the target of a request can hold: no space, and no control character
    const character = integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCodePoint(code))
    const common = constantFrom('a', 'b', '=', '&', '%61', ';', '#', '+', '%', '?', '%E4')
    const text = string({ unit: oneof(character, common) })
    assert(
      property(text, (query) => {
        const forwarded = new URL(forwardQuery(TARGET, query))
        expect([forwarded.origin, forwarded.pathname, forwarded.hash]).to.deep.equal([
          'https://example.com',
          '/p',
          '#top',
        ])
        const added = pairsOf(query).filter(([name]) => name !== 'a' && name !== 'b')
        expect(pairsOf(forwarded.search.slice(1))).to.deep.equal([['a', '1'], ['b', '2'], ...added])
      }),
      { numRuns: 2_000 },
    )
  })
})
