import { expect } from 'chai'

import { BY_FORMAT, LEFT_OUT, choiceOf, withChoice } from '../../src/console/pages/import/column-choice.js'
import type { Mapping } from '../../src/console/pages/import/rows.js'

const columns = ['Title', 'Where to', 'target']
const none: Mapping = new Map()

describe('the column of a field of an import', () => {
  it('is in our own format the one with its name, and in another format the one that this names', () => {
    expect(choiceOf('title', columns, 'csv', none)).to.equal('title')
    expect(choiceOf('note', columns, 'csv', none)).to.equal(LEFT_OUT)
    expect(choiceOf('title', columns, 'bitly', none)).to.equal(BY_FORMAT)
  })

  it('is the chosen one, which another field then no longer has', () => {
    const map = withChoice('note', 'title', columns, 'csv', none)
    expect(choiceOf('note', columns, 'csv', map)).to.equal('title')
    expect(choiceOf('title', columns, 'csv', map)).to.equal(LEFT_OUT)
    expect(choiceOf('target', columns, 'csv', withChoice('target', 'whereto', columns, 'csv', none))).to.equal(
      'whereto',
    )
  })

  it('is no longer mapped once the default is chosen again, and stays left out until then', () => {
    for (const format of ['csv', 'bitly'] as const) {
      const standard = choiceOf('title', columns, format, none)
      const leftOut = withChoice('title', LEFT_OUT, columns, format, none)
      expect(leftOut.get('title'), format).to.equal(null)
      expect(choiceOf('title', columns, format, leftOut), format).to.equal(LEFT_OUT)
      expect(withChoice('title', standard, columns, format, leftOut).size, format).to.equal(0)
    }
  })
})
