import { expect } from 'chai'

import { html } from '../../src/pages/html.js'
import { LANGUAGE_TAGS, textsIn } from '../../src/pages/languages/languages.js'

/** All texts of a language by their places; one with a gap has ‹› in it. */
const flat = (texts: unknown, place = ''): readonly (readonly [place: string, text: string])[] => {
  if (typeof texts === 'string') return [[place, texts]]
  if (typeof texts === 'function') return flat(texts(html`‹›`), place)
  if (typeof texts !== 'object' || texts === null) return []
  if ('text' in texts && typeof texts.text === 'string') return [[place, texts.text.trim()]]
  return Object.entries(texts).flatMap(([name, each]) => flat(each, `${place}.${name}`))
}

describe('the languages of pages', () => {
  const [first = '', ...others] = LANGUAGE_TAGS
  const english = new Map(flat(textsIn(first)))

  it('are named by what they are', () => {
    for (const tag of LANGUAGE_TAGS) expect(textsIn(tag).language).to.equal(tag)
    expect([first, others]).to.deep.equal(['en', ['de']])
  })

  it('have English for whoever wants another', () => {
    for (const tags of [[], ['fr'], ['*'], ['constructor'], ['']]) expect(textsIn(...tags).language).to.equal('en')
  })

  for (const tag of others)
    it(`have a text of its own for each English one, with the same gaps: ${tag}`, () => {
      const own = new Map(flat(textsIn(tag)))
      expect([...own.keys()]).to.deep.equal([...english.keys()])
      expect(english.size).to.be.greaterThan(40)
      for (const [place, text] of english) {
        expect(own.get(place), place).to.match(/\S/)
        expect(own.get(place)?.includes('‹›'), place).to.equal(text.includes('‹›'))
        // a word that is the same in both is listed here
        if (!['.invitation.name'].includes(place)) expect(own.get(place), place).to.not.equal(text)
      }
    })
})
