import { expect } from 'chai'

import { percent, setLocale } from '../../src/console/language/format.js'

describe('shares in percent', () => {
  it('are whole, and a little is not shown as nothing', () => {
    setLocale('en')
    expect([0, 0.002, 0.005, 0.37, 1].map(percent)).to.deep.equal(['0%', '<1%', '1%', '37%', '100%'])
  })
})
