import { expect } from 'chai'

import { joined } from '../../src/console/parts/joined.js'

describe('the parts of a list', () => {
  it('have each item once, as it was first', () => {
    const [made, first, second] = [{ id: '3', title: 'just made' }, { id: '1' }, { id: '2' }]
    expect(joined([made, first], [second, { id: '3', title: 'from the page' }])).to.deep.equal([made, first, second])
    expect(joined([made], [first, second])).to.deep.equal([made, first, second])
  })

  it('keep all items that have no id', () => {
    expect(joined([{ revision: 2 }], [{ revision: 1 }])).to.deep.equal([{ revision: 2 }, { revision: 1 }])
  })
})
