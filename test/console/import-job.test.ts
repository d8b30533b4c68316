import { expect } from 'chai'
import { LinkgateProblem } from 'linkgate/client'

import { MOST_ITEMS } from '../../src/console/parts/chunks.js'
import { createImportJob, type ImportService } from '../../src/console/pages/import/import-job.js'
import type { ItemResult } from '../../src/console/pages/import/outcome.js'
import { rowsOf, type Item } from '../../src/console/pages/import/rows.js'
import { FORMATS } from '../../src/import/formats.js'
import type { SourceRecord } from '../../src/import/source.js'

const targetOf = (code: string) => `https://example.com/${code}`
const fileOf = (all: readonly Readonly<Record<string, string>>[]) =>
  rowsOf(
    all.map((cells, at): SourceRecord => ({
      place: String(at + 2),
      cells: new Map(Object.entries(cells)),
      original: [],
    })),
    FORMATS.csv,
    new Map(),
  )
const links = (count: number) =>
  fileOf(Array.from({ length: count }, (_, at) => ({ code: `c${at}`, target: targetOf(`c${at}`) })))

/** A service in memory. `before`: told of every request, and may refuse it. */
const createService = (before: (request: 'try' | 'make' | 'made') => void = () => undefined) => {
  const there = new Map<string, string>()
  const waited: number[] = []
  let made = 0
  const textIn = (item: Item, name: string) => String(item[name] ?? '')
  const take = (item: Item, index: number, isDry: boolean): ItemResult => {
    const code = textIn(item, 'code') || `made-${made}`
    if (there.has(code)) return { index, status: 409, problem: { code: 'code_taken' } }
    if (code === 'docs') return { index, status: 422, problem: { errors: [{ field: 'code', message: 'is reserved' }] } }
    if (isDry) return { index, status: 201 }
    there.set(code, textIn(item, 'target'))
    made += 1
    return { index, status: 201, link: { url: `https://s.example/${code}` } }
  }
  const service: ImportService = {
    tryAll: async (items) => {
      before('try')
      return items.map((item, index) => take(item, index, true))
    },
    makeAll: async (items) => {
      before('make')
      const results = items.map((item, index) => take(item, index, false))
      before('made')
      return results
    },
    makeOne: async (item) => {
      take(item, 0, false)
      return { is: 'made', url: `https://s.example/${textIn(item, 'code')}` }
    },
    known: async () => ({ byCode: there, ownTargets: new Set(there.values()) }),
    wait: async (seconds) => void waited.push(seconds),
  }
  return { service, there, waited, count: () => made }
}

const problem = (status: number, code: 'rate_limited' | 'network_error', retryAfter?: number) =>
  new LinkgateProblem({ status, code, title: code }, { retryAfter })

describe('an import in the console', () => {
  const outcomes = (job: ReturnType<typeof createImportJob>) => {
    const counts: Record<string, number> = {}
    for (const { outcome } of job.rows.value) counts[outcome.is] = (counts[outcome.is] ?? 0) + 1
    return counts
  }

  it('says of each row what would become of it, and makes nothing before it is told to', async () => {
    const { service, there, count } = createService()
    there.set('c0', targetOf('c0')).set('c1', 'https://example.com/elsewhere')
    const job = createImportJob(service)
    await job.check([
      ...links(3),
      ...fileOf([{ code: 'docs', target: targetOf('docs') }]).map((row) => ({ ...row, at: 3 })),
    ])
    expect(job.phase.value).to.equal('checked')
    expect(outcomes(job)).to.deep.equal({ there: 1, conflict: 1, new: 1, refused: 1 })
    expect(count()).to.equal(0)
    await job.run()
    expect(job.phase.value).to.equal('done')
    expect(outcomes(job)).to.deep.equal({ there: 1, conflict: 1, made: 1, refused: 1 })
    expect(count()).to.equal(1)
  })

  it('a second time makes nothing, with and without codes', async () => {
    const { service, count } = createService()
    const file = fileOf([{ code: 'a', target: targetOf('a') }, { target: targetOf('b') }])
    for (const expected of [{ made: 2 }, { there: 2 }]) {
      const job = createImportJob(service)
      await job.check(file)
      await job.run()
      expect(outcomes(job)).to.deep.equal(expected)
    }
    expect(count()).to.equal(2)
  })

  it('stops between two requests, and goes on where it stopped', async () => {
    const { service, count } = createService((request) => {
      if (request === 'made' && count() === MOST_ITEMS) job.stop()
    })
    const job = createImportJob(service)
    await job.check(links(2 * MOST_ITEMS + 5))
    await job.run()
    expect(job.phase.value).to.equal('stopped')
    expect(outcomes(job)).to.deep.equal({ made: MOST_ITEMS, new: MOST_ITEMS + 5 })
    await job.run()
    expect(job.phase.value).to.equal('done')
    expect(outcomes(job)).to.deep.equal({ made: 2 * MOST_ITEMS + 5 })
    expect(count()).to.equal(2 * MOST_ITEMS + 5)
  })

  it('makes nothing twice where an answer got lost', async () => {
    let isLost = true
    const { service, count } = createService((request) => {
      if (request !== 'made' || !isLost) return
      isLost = false
      throw problem(0, 'network_error')
    })
    const job = createImportJob(service)
    await job.check(fileOf([{ code: 'a', target: targetOf('a') }, { target: targetOf('b') }]))
    await job.run()
    expect(job.phase.value).to.equal('stopped')
    expect(job.problem.value?.code).to.equal('network_error')
    expect(outcomes(job)).to.deep.equal({ open: 2 })
    await job.run()
    expect(job.problem.value).to.equal(null)
    expect(outcomes(job)).to.deep.equal({ there: 2 })
    expect(count()).to.equal(2)
  })

  it('waits as long as the service asks it to, and goes on by itself', async () => {
    let left = 2
    const { service, waited } = createService((request) => {
      if (request === 'make' && left-- > 0) throw problem(429, 'rate_limited', 12)
    })
    const job = createImportJob(service)
    await job.check(links(3))
    await job.run()
    expect(waited).to.deep.equal([12, 12])
    expect(outcomes(job)).to.deep.equal({ made: 3 })
    expect(job.waits.value).to.equal(null)
  })

  it('refuses a link whose password the file lacks, and makes one with a new one', async () => {
    const { service, there } = createService()
    there.set('kept', targetOf('kept'))
    const job = createImportJob(service)
    const guarded = (code: string) => ({ code, target: targetOf(code), haspassword: 'true' })
    await job.check(fileOf([guarded('kept'), guarded('lost'), { ...guarded('new'), password: 'a long one' }]))
    expect(job.rows.value.map(({ outcome }) => outcome)).to.deep.equal([
      { is: 'there' },
      { is: 'refused', why: { is: 'no password' } },
      { is: 'new' },
    ])
    await job.run()
    expect(job.rows.value[2]?.outcome).to.deep.equal({ is: 'made', url: 'https://s.example/new' })
  })

  it('of another mapping gives up what was asked before', async () => {
    const { service } = createService()
    const job = createImportJob(service)
    const first = job.check(links(2))
    const second = job.check(links(1))
    await Promise.all([first, second])
    expect(job.phase.value).to.equal('checked')
    expect(outcomes(job)).to.deep.equal({ new: 1 })
  })
})
