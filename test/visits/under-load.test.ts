import { setTimeout as delay } from 'node:timers/promises'

import { expect } from 'chai'
import { Client, type QueryResultRow } from 'pg'

import type { Statement } from '../../src/database/statement.js'
import { createVisits } from '../../src/visits/visits.js'
import type { AskDatabase } from '../support/bare-database.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { addManyLinks, addUserToDelete } from '../support/records.js'
import { VISITS, addVisits, inHour, writeVisits, type SeenVisit } from '../support/visits.js'

const visitor = { address: '203.0.113.1', header: () => undefined }

describe('visits under load', () => {
  it('are counted before more batches wait than one run takes', async () => {
    const batches = { written: 0, waiting: 0, mostLeft: 0 }
    const answer = ({ name, values = [] }: Statement): QueryResultRow => {
      if (name === 'add_visits') {
        batches.written += 1
        batches.waiting += 1
        return {}
      }
      if (name !== 'count_visits') return { day: '2026-11-01', salt: Buffer.alloc(32), left_ms: 60_000 }
      const taken = Math.min(batches.waiting, Number(values[0]))
      batches.waiting -= taken
      batches.mostLeft = Math.max(batches.mostLeft, batches.waiting)
      return { taken }
    }
    const visits = createVisits({
      database: { run: async <Row extends QueryResultRow>(statement: Statement) => [answer(statement) as Row] },
      ...VISITS,
      intervalMs: 20,
      countEveryMs: 500,
    })
    while (batches.written < 120) {
      for (let i = 0; i < 200; i += 1) visits.note('1', visitor)
      await delay(10)
    }
    await visits.stop()
    expect(batches).to.include({ waiting: 0, mostLeft: 0 })
  })

  it('are added to the totals in time that grows with the visits, not with their square', async () => {
    const db = await testDatabase()
    const owner = await addUserToDelete(db)
    await addManyLinks(db, { owner, count: 400, prefix: 'link-' })
    const links = await db.asOwner<{ id: string }>('select id from links')
    const visitsOf = (kinds: number): readonly SeenVisit[] =>
      links.map(({ id }, i) => ({ link: id, at: inHour(480_000), browser: `browser-${i % kinds}` }))
    await addVisits(db, visitsOf(1))
    // as autovacuum leaves them: statistics of a few waiting batches, and of none
    await writeVisits(db, visitsOf(1))
    for (const _ of ['few', 'none']) {
      await db.asOwner('analyze')
      await db.asOwner('select count_visits()')
      for (let kinds = 1; kinds <= 10; kinds += 1) await writeVisits(db, visitsOf(kinds))
      expect(await comparedInVain(db, 'select count_visits()')).to.be.below(10 * links.length)
    }
  })

  it('are counted if their link was created while a count was under way', async () => {
    const db = await testDatabase()
    const owner = await addUserToDelete(db)
    const other = new Client(db.owner)
    await other.connect()
    try {
      // the count waits for this table, and sees what is committed meanwhile
      await other.query('begin; lock table added_visits in exclusive mode')
      const counting = db.asOwner('select count_visits()')
      await lockWaiters(db.asOwner)
      await other.query("set local session_replication_role = 'replica'")
      const asOwner: AskDatabase = async (text, values = []) => (await other.query(text, [...values])).rows
      const [{ id: link } = { id: '' }] = await asOwner<{ id: string }>(
        `insert into links (code, target, owner_id) values ('new', 'https://example.com/', $1) returning id`,
        [owner],
      )
      await writeVisits({ asOwner }, [{ link, at: inHour(480_000) }])
      await other.query('commit')
      await counting
      await db.asOwner('select count_visits()')
      expect(await db.asOwner('select link_id, visits from visit_counts')).to.deep.equal([
        { link_id: link, visits: '1' },
      ])
    } finally {
      await other.end()
    }
  })
})

/** How many pairs of rows the joins of a statement compare that do not belong together, in functions as well. */
const comparedInVain = async (db: TestDatabase, text: string): Promise<number> => {
  const client = new Client(db.owner)
  let plans = 0
  let compared = 0
  client.on('notice', ({ message = '' }) => {
    if (message.includes('added_visits')) plans += 1
    for (const [, removed] of message.matchAll(/Rows Removed by Join Filter: (\d+)/g)) compared += Number(removed)
  })
  await client.connect()
  try {
    await client.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
      set auto_explain.log_timing = off; set auto_explain.log_nested_statements = on; set client_min_messages = log;
      set plan_cache_mode = force_generic_plan`)
    await client.query(text)
    expect(plans, 'plans of what reads added_visits').to.be.greaterThan(0)
    return compared
  } finally {
    await client.end()
  }
}
