import { expect } from 'chai'

import { testDatabase } from '../support/database.js'
import { onDatabase, startNode } from '../support/node.js'
import { addUserWithId, BY_HAND } from '../support/records.js'
import { madeSigningKey } from '../support/signing-key.js'

const MOST = 50
const VISITORS = 120

describe('a link with a maximum of visits, on a service that is killed', () => {
  it('is followed no more often than it may be, before and after together', async () => {
    const db = await testDatabase()
    await addUserWithId(db, '1', 'editor')
    await db.asOwner(
      `with decided as (select set_config('app.decision', $1, false))
       insert into links (code, target, owner_id, max_visits)
         select 'counted', 'https://example.com/', 1, $2::int from decided`,
      [BY_HAND, MOST],
    )
    const environment = { ...onDatabase(db.service, db.owner), JWT_SIGNING_KEY_FILE: await madeSigningKey() }
    let redirects = 0
    const visit = async (url: string): Promise<number> => {
      const answer = await fetch(`${url}/counted`, { redirect: 'manual' }).catch(() => undefined)
      if (answer?.status === 302) redirects += 1
      return answer?.status ?? 0
    }

    const killed = await startNode(environment)
    const visits = Array.from({ length: VISITORS }, async (_, i) => {
      const status = await visit(killed.baseUrl)
      if (i === 20) killed.child.kill('SIGKILL')
      return status
    })
    await Promise.all(visits)
    const before = redirects
    const node = await startNode(environment)
    try {
      const after = await Promise.all(Array.from({ length: VISITORS }, () => visit(node.baseUrl)))
      expect(after.filter((status) => status !== 302 && status !== 410)).to.deep.equal([])
    } finally {
      node.child.kill('SIGTERM')
    }
    const [link] = await db.asOwner<{ used: number }>(`select used from links where code = 'counted'`)
    expect(link?.used).to.equal(MOST)
    // what the kill kept from a visitor was counted all the same
    expect(redirects).to.be.at.most(MOST)
    expect(before).to.be.greaterThan(0)
  })
})
