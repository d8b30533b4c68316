import { expect } from 'chai'

import { openPool, type PooledDatabase } from '../../src/database/pool.js'
import { findLink } from '../../src/redirects/find-link.js'
import { testDatabase } from '../support/database.js'

describe('a link that is looked up by its code', () => {
  let pool: PooledDatabase
  let asked = 0
  const find = findLink({
    lookUp: async (statement) => {
      asked += 1
      return pool.lookUp(statement)
    },
  })

  before(async () => {
    const db = await testDatabase()
    pool = openPool({ connection: db.service, size: 2, deadlineMs: 5_000 })
    await db.asOwner('alter table links disable trigger link_decision')
    await db.asOwner(
      `insert into links (code, target)
        select code, 'https://example.com/' || code from unnest(array['NULL', 'null', '-', '_', 'a', 'A']) code`,
    )
  })
  after(() => pool.close())

  it('is the one whose code is the same text', async () => {
    for (const code of ['NULL', 'null', '-', '_', 'a', 'A']) {
      expect(await find(code)).to.include({ code, target: `https://example.com/${code}` })
    }
    expect(await find('absent')).to.equal(null)
  })

  it('is none where the text is no code, which asks the database nothing', async () => {
    asked = 0
    for (const text of ['a,A', '', 'a b', `'`, '{a}', 'x'.repeat(65)]) expect(await find(text)).to.equal(null)
    expect(asked).to.equal(0)
  })
})
