import { setTimeout as delay } from 'node:timers/promises'

import { expect } from 'chai'
import type { QueryResultRow } from 'pg'

import type { Statement } from '../../src/database/statement.js'
import { createVisits } from '../../src/visits/visits.js'

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
      ownHost: 'lnk.example',
      countries: { header: undefined, of: () => null },
      keepsSingle: true,
      onChange: () => undefined,
      onDrop: () => undefined,
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
})
