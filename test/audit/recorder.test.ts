import { mock } from 'node:test'

import { expect } from 'chai'
import { DatabaseError } from 'pg'

import { createRecorder } from '../../src/audit/recorder.js'
import type { Database } from '../../src/database/database.js'
import type { DecisionRecord } from '../../src/domain/decision-record.js'

const AN_HOUR = 3_600_000

const record = (requestId: string): DecisionRecord => ({
  request_id: requestId,
  revision: 1,
  layer: 'gateway',
  subject_id: null,
  subject_role: 'anonymous',
  token_id: null,
  network: '192.0.2.0/24',
  action: 'link:delete',
  resource_type: 'link',
  resource_code: 'abc',
  relation: 'other',
  effect: 'deny',
  rule: 'token_required',
  row_priority: null,
  status: 401,
  resource_id: null,
})

const settled = () => new Promise(setImmediate)
const tick = (milliseconds: number) => {
  mock.timers.tick(milliseconds)
  return settled()
}

const databaseError = (code: string) => Object.assign(new DatabaseError('no', 0, 'error'), { code })

/** A database that answers a write when the test says so. */
const heldDatabase = () => {
  const writes: { readonly ids: readonly string[]; readonly answer: () => void; readonly fail: () => void }[] = []
  const flush: Database['flush'] = (statements) =>
    new Promise((resolve, reject) => {
      const batch: readonly DecisionRecord[] = JSON.parse(String(statements.at(-1)?.values?.[0]))
      writes.push({
        ids: batch.map(({ request_id }) => request_id),
        answer: () => resolve([]),
        fail: () => reject(new Error('the database is away')),
      })
    })
  return { flush, writes }
}

describe('the recorder of decisions', () => {
  let database: ReturnType<typeof heldDatabase>
  let recorder: ReturnType<typeof createRecorder>
  let faults: number
  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] })
    database = heldDatabase()
    faults = 0
    recorder = createRecorder({
      database,
      onFault: () => {
        faults += 1
      },
    })
  })
  afterEach(() => mock.timers.reset())

  const ids = () => database.writes.map((write) => write.ids)

  it('has one write under way at a time, however long the database does not answer', async () => {
    recorder.record(record('first'))
    await tick(250)
    recorder.record(record('second'))
    await tick(AN_HOUR)
    expect(ids()).to.deep.equal([['first']])
    expect(recorder.stats()).to.deep.equal({ waiting: 2, lost: 0, failures: 0 })
  })

  it('closes with at most one more write once the database answers, after any number of ticks', async () => {
    recorder.record(record('first'))
    await tick(AN_HOUR)
    recorder.record(record('second'))
    await tick(AN_HOUR)
    const closed = recorder.close()
    database.writes[0]?.answer()
    await settled()
    database.writes[1]?.answer()
    await closed
    expect(ids()).to.deep.equal([['first'], ['second']])
  })

  it('closes after two failed writes at the most while the database is away, after any number of ticks', async () => {
    recorder.record(record('first'))
    await tick(AN_HOUR)
    const closed = recorder.close()
    database.writes[0]?.fail()
    await settled()
    database.writes[1]?.fail()
    await closed
    expect(ids()).to.deep.equal([['first'], ['first']])
    await tick(AN_HOUR)
    expect(database.writes, 'nothing is written after the close').to.have.length(2)
  })

  it('writes what failed again with the next tick, the oldest first, and reports an outage once', async () => {
    recorder.record(record('first'))
    for (const failed of [1, 2, 3]) {
      await tick(250)
      database.writes.at(-1)?.fail()
      await settled()
      expect(recorder.stats()).to.deep.equal({ waiting: 1, lost: 0, failures: failed })
    }
    expect(faults).to.equal(1)
    recorder.record(record('second'))
    await tick(250)
    database.writes.at(-1)?.answer()
    await settled()
    expect(ids().at(-1)).to.deep.equal(['first', 'second'])
    expect(recorder.stats().waiting).to.equal(0)
  })

  it('keeps the oldest 10,000 records of an outage, and counts those that it drops', async () => {
    for (let i = 0; i < 10_003; i += 1) recorder.record(record(`record-${i}`))
    expect(recorder.stats()).to.deep.equal({ waiting: 10_000, lost: 3, failures: 0 })
    await tick(250)
    for (let i = 0; i < 500; i += 1) recorder.record(record(`later-${i}`))
    database.writes.at(-1)?.fail()
    await settled()
    expect(recorder.stats()).to.deep.equal({ waiting: 10_000, lost: 503, failures: 1 })
    await tick(250)
    expect(ids().at(-1)).to.include('record-0')
  })

  it('drops only the records that the database refuses for good, and reports them once', async () => {
    const written: string[] = []
    const lost: number[] = []
    const flush: Database['flush'] = async (statements) => {
      const batch: readonly DecisionRecord[] = JSON.parse(String(statements.at(-1)?.values?.[0]))
      const ids = batch.map(({ request_id }) => request_id)
      if (ids.some((id) => id.startsWith('bad'))) throw databaseError('22P05')
      written.push(...ids)
      return []
    }
    recorder = createRecorder({ database: { flush }, onFault: (_error, sum) => lost.push(sum) })
    const good = Array.from({ length: 600 }, (_, i) => `good-${i}`)
    for (const id of [...good.slice(0, 7), 'bad-1', 'bad-2', ...good.slice(7)]) recorder.record(record(id))
    await recorder.close()
    expect(written).to.deep.equal(good)
    expect(recorder.stats()).to.include({ waiting: 0, lost: 2 })
    expect(lost).to.deep.equal([1])
  })

  it('keeps records that the database refuses for a reason of its own', async () => {
    // read-only; a number of the log that is taken, as after a restore
    for (const state of ['25006', '23505']) {
      const flush = () => Promise.reject(databaseError(state))
      recorder = createRecorder({ database: { flush }, onFault: () => undefined })
      recorder.record(record('first'))
      await recorder.close()
      expect(recorder.stats(), state).to.include({ waiting: 1, lost: 0 })
    }
  })
})
