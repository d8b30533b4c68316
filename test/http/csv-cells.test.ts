import { expect } from 'chai'
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'

import { guardCell, guardedColumn, unguardCell } from '../../src/csv/cell.js'
import { formatCsv } from '../../src/csv/format.js'
import { parsePolicyCsv } from '../../src/policy/csv.js'
import { addLink } from '../support/records.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'
import { until } from '../support/until.js'

describe('CSV exports in a spreadsheet', () => {
  let callers: Callers
  let service: TestService
  before(async () => {
    callers = await startWithCallers()
    service = callers.service
  })
  after(() => service.stop())

  const cells = async (path: string) =>
    parse((await service.request('GET', path, { token: callers.admin.token })).text).flat()

  it('hold no formula: before a code that begins with a sign is an apostrophe, in links and in the log', async () => {
    const codes = ['-1-2', '-', '--x', '_a', 'a-b']
    for (const code of codes) {
      await addLink(service.db, { owner: callers.editor.id, code })
      const { token } = callers.editor
      expect(
        (await service.request('PATCH', `/links/${code}`, { token, json: { target: 'https://e.example/' } })).status,
      ).to.equal(200)
    }
    const guarded = ["'-1-2", "'-", "'--x", '_a', 'a-b']
    const links = await cells('/links/export?format=csv')
    expect(links).to.include.members(guarded)
    expect(links.map(unguardCell)).to.include.members(codes)
    const log = await until('the log holds the changes', async () => {
      const found = await cells('/audit/decisions?format=csv&action=link:update')
      return found.includes('a-b') && found
    })
    expect(log).to.include.members(guarded)
    for (const cell of [...links, ...log]) expect(cell).not.to.match(/^[=+\-@\t\r]/)
    const ndjson = await service.request('GET', '/links/export?format=ndjson', { token: callers.admin.token })
    expect(ndjson.text).to.include('"code":"-1-2"')
  })

  const sign = fc.constantFrom('=', '+', '-', '@', '\t', '\r', "'", 'a', '\n', '"', ',', ';')
  const anyText = fc.string({ unit: sign, maxLength: 8 })

  it('an import gets back exactly what was exported', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const cell = guardCell(text)
        expect(cell).not.to.match(/^[=+\-@\t\r]/)
        expect(unguardCell(cell)).to.equal(text)
      }),
      { numRuns: 2_000 },
    )
  })

  it('hold no formula for a program that splits at semicolons or tabs, whatever it takes for a quote', () => {
    const field = fc.oneof(anyText, fc.constant('x;=1+1;y'))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), field, field), { minLength: 1, maxLength: 3 }), (rows) => {
        for (const line of formatCsv(rows).split(/[\r\n]/))
          for (const cell of line.split(/[;\t]/)) expect(cell).not.to.match(/^"*[=+\-@]/)
      }),
      { numRuns: 2_000 },
    )
  })

  it('PostgreSQL guards as we do', async () => {
    const texts = fc.sample(anyText, 2_000)
    const rows = await service.db.asOwner(
      `select ${guardedColumn('text')} as cell from unnest($1::text[]) with ordinality as t (text, n) order by n`,
      [texts],
    )
    expect(rows).to.deep.equal(texts.map((text) => ({ cell: guardCell(text) })))
  })

  it('a policy file that went through a spreadsheet is read the same', () => {
    expect(() => parsePolicyCsv('rows.csv', "p2, clerk, '-x")).to.throw('action')
    expect(parsePolicyCsv('rows.csv', 'p2, clerk, doc:sign')).to.deep.equal(
      parsePolicyCsv('rows.csv', '"p2","clerk","doc:sign"'),
    )
  })
})
