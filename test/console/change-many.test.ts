import { expect } from 'chai'
import { LinkgateProblem } from 'linkgate/client'

import { refusalOf } from '../../src/console/language/fault-words.js'
import { changeMany } from '../../src/console/pages/links/change-many.js'
import { MOST_ITEMS } from '../../src/console/parts/chunks.js'

const items = Array.from({ length: 2 * MOST_ITEMS + 1 }, (_, at) => ({ link: `link-${at}` }))
const doneOf = (part: readonly object[]) => part.map((_, index) => ({ index, status: 200 }))

describe('a change of many links', () => {
  it('gets a result for every link, under its place among all', async () => {
    const { done, refused, problem } = await changeMany(items, async (part) => ({ results: doneOf(part) }))
    expect(done.map(({ index }) => index)).to.deep.equal(items.map((_, at) => at))
    expect(refused).to.deep.equal([])
    expect(problem).to.equal(null)
  })

  it('keeps the results of the requests before a failed one, and sends none after it', async () => {
    const away = new LinkgateProblem({ status: 503, code: 'database_unavailable', title: 'No database' }, {})
    let requests = 0
    const { done, problem } = await changeMany(items, async (part) => {
      requests += 1
      if (requests === 2) throw away
      return { results: doneOf(part) }
    })
    expect(done).to.have.length(MOST_ITEMS)
    expect(problem).to.equal(away)
    expect(requests).to.equal(2)
  })

  it('sends no more bytes in one request than the service takes', async () => {
    const large = items.slice(0, MOST_ITEMS).map((item) => ({ ...item, tags: ['x'.repeat(2_000)] }))
    const sizes: number[] = []
    await changeMany(large, async (part) => {
      sizes.push(JSON.stringify({ operation: 'update', items: part }).length)
      return { results: doneOf(part) }
    })
    expect(sizes).to.have.length.above(1)
    expect(Math.max(...sizes)).to.be.at.most(1_048_576)
  })

  it('reads the problem of a link like that of a request, so that it is told in the language of the page', () => {
    const document = { code: 'policy_denied', title: 'Denied', rule: 'R5', errors: [{ field: 'tags', message: 'no' }] }
    const { status, code, rule, errors } = refusalOf(403, document)
    expect({ status, code, rule }).to.deep.equal({ status: 403, code: 'policy_denied', rule: 'R5' })
    expect(errors).to.deep.equal([{ field: 'tags', message: 'no' }])
    expect(refusalOf(500, {})).to.include({ status: 500, code: '' })
  })
})
