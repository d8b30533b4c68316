import { expect } from 'chai'

import { openPool } from '../../src/database/pool.js'
import { testDatabase } from '../support/database.js'
import type { TestDatabase } from '../support/database.js'
import { addUserWithId, BY_HAND, freshCode } from '../support/records.js'

describe('enter_change', () => {
  let db: TestDatabase

  before(async () => {
    db = await testDatabase()
    await addUserWithId(db, '1', 'editor')
  })

  /** Makes a link as the service does: in one flush, whose isolation level is the session's. */
  const makeLink = async (code: string, isolation: string): Promise<void> => {
    const pool = openPool({ connection: { ...db.service, options: `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}` }, size: 1, deadlineMs: 5_000 })
    try {
      expect(await pool.run({ text: 'show transaction_isolation' })).to.deep.equal([{ transaction_isolation: isolation }])
      const [head] = await pool.run<{ revision: string }>({ text: 'select revision from policy_head' })
      await pool.flush([
        { text: 'select enter_change($1, $2, $3, $4, $5, $6, $7, $8)', values: ['links_own', '1', head?.revision, BY_HAND, 'editor', null, null, null] },
        { text: `insert into links (code, target, owner_id) values ($1, 'https://example.com/', 1)`, values: [code] },
      ])
    } finally {
      await pool.close()
    }
  }
  const stored = async (code: string) => (await db.asOwner('select from links where code = $1', [code])).length

  it('lets a change in that reads each statement anew', async () => {
    const code = freshCode()
    await makeLink(code, 'read committed')
    expect(await stored(code)).to.equal(1)
  })

  // the first two may read after the lock what was so before it; the last does as read committed does, and is in no use
  for (const isolation of ['repeatable read', 'serializable', 'read uncommitted']) {
    it(`refuses a change that is ${isolation}, and nothing is written`, async () => {
      const code = freshCode()
      const refused = await makeLink(code, isolation).then(() => undefined, (error: unknown) => error)
      expect(refused).to.have.property('code', 'LG008')
      expect(await stored(code)).to.equal(0)
    })
  }
})
