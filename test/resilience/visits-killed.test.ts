import { expect } from 'chai'

import { testDatabase } from '../support/database.js'
import { onDatabase, startNode } from '../support/node.js'
import { addLink, addUserWithId } from '../support/records.js'
import { madeSigningKey } from '../support/signing-key.js'
import { until } from '../support/until.js'
import { AGENTS } from '../support/visitors.js'

const KILLS = 2
const VISITS = 100
const VISITORS = 16

describe('a service that counts visits and is killed', () => {
  it('never leaves half a batch, counts nothing twice, and keeps what it had written', async () => {
    const db = await testDatabase()
    await addUserWithId(db, '1', 'editor')
    const codes = await Promise.all(Array.from({ length: 5 }, () => addLink(db, { owner: '1' })))
    const environment = { ...onDatabase(db.service, db.owner), JWT_SIGNING_KEY_FILE: await madeSigningKey() }
    const counted = async () => {
      const [row] = await db.asOwner<{ n: number }>('select coalesce(sum(visits), 0)::int as n from visit_counts')
      return row?.n ?? 0
    }
    let asked = 0
    for (let kills = 0; kills < KILLS; kills += 1) {
      const before = await counted()
      const node = await startNode({ ...environment, RATE_LIMIT_ANONYMOUS: 'off' })
      const killed = new AbortController()
      const visit = async (): Promise<void> => {
        while (!killed.signal.aborted) {
          asked += 1
          const code = codes[asked % codes.length] ?? ''
          await fetch(`${node.baseUrl}/${code}`, {
            redirect: 'manual',
            headers: { 'User-Agent': AGENTS.chrome, Referer: `https://site-${asked % 7}.example/` },
          }).catch(() => undefined)
        }
      }
      const visitors = Array.from({ length: VISITORS }, visit)
      // a few batches are written, and another is on its way
      await until('visits are written', async () => (await counted()) > before + VISITS)
      const written = await counted()
      node.child.kill('SIGKILL')
      killed.abort()
      await Promise.all(visitors)
      expect(await counted()).to.be.at.least(written)
    }
    // the last batch of a killed service may be under way in the database
    await until('nobody writes', async () => {
      const text = `select count(*)::int as n from pg_stat_activity
        where query ~ '(add|count)_visits' and state <> 'idle'
        and pid <> pg_backend_pid() and datname = current_database()`
      return (await db.asOwner<{ n: number }>(text))[0]?.n === 0
    })
    // what it had written, and nobody had counted yet
    await db.asOwner('select count_visits()')
    const total = await counted()
    expect(total).to.be.within(KILLS * VISITS, asked)
    const sums = await db.asOwner(
      `select distinct n from (
         select sum(cardinality(moments))::int as n from visits
         union all select sum(visits)::int from visit_hours
         union all select sum(visits)::int from visit_values group by dimension
         union all select sum(visits)::int from owner_visit_hours group by owner_id
         union all select sum(visits)::int from owner_visit_values group by owner_id, dimension) each`,
    )
    expect(sums).to.deep.equal([{ n: total }])
  })
})
