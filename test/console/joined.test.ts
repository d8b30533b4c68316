import { expect } from 'chai'

import { joined, replaced } from '../../src/console/parts/joined.js'

describe('the parts of a list', () => {
  it('have each item once, as it was first', () => {
    const [made, first, second] = [{ id: '3', title: 'just made' }, { id: '1' }, { id: '2' }]
    expect(joined([made, first], [second, { id: '3', title: 'from the page' }])).to.deep.equal([made, first, second])
    expect(joined([made], [first, second])).to.deep.equal([made, first, second])
  })

  it('keep all items that have no id', () => {
    expect(joined([{ revision: 2 }], [{ revision: 1 }])).to.deep.equal([{ revision: 2 }, { revision: 1 }])
  })

  it('have what is newer in the place of what it replaces, and nothing else of it', () => {
    const [first, second] = [
      { id: '1', title: 'before' },
      { id: '2', title: 'as it was' },
    ]
    const [newer, other] = [
      { id: '1', title: 'after' },
      { id: '3', title: 'on another page' },
    ]
    expect(replaced([first, second], [newer, other])).to.deep.equal([newer, second])
  })
})
