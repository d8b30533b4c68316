import { createPublicKey, generateKeyPairSync } from 'node:crypto'

import { expect } from 'chai'
import * as fc from 'fast-check'

import { byDay, byNewest, foldLines } from '../../src/console/pages/decisions/log-line.js'
import { checkCommand, evidenceName } from '../../src/console/pages/proof/evidence-file.js'
import { pemOf } from '../../src/console/pages/proof/public-key.js'

const entry = (id: number, more: object = {}) => ({
  id: String(id),
  time: new Date(1_795_000_000_000 + id).toISOString(),
  kind: 'decision',
  request_id: `r${id}`,
  revision: 1,
  subject: { id: '7', role: 'editor', network: null },
  resource: { type: 'link', id: null, code: 'launch', relation: 'other' },
  action: 'link:delete',
  effect: 'deny',
  rule: 'R5',
  layer: 'object',
  status: 403,
  ...more,
})
type Line = Parameters<typeof foldLines>[0][number]
/** An entry as it comes from the service. */
const line = (id: number, more: object = {}): Line => JSON.parse(JSON.stringify(entry(id, more)))
/** What a line says, apart from when. */
const saysOf = (each: Line) => ({ ...each, id: null, time: null, request_id: null })

describe('lines of the log', () => {
  it('fold where three or more say the same; none is lost, and the order stays', () => {
    const same = fc.constantFrom('R5', 'R6')
    fc.assert(
      fc.property(fc.array(same, { maxLength: 30 }), (rules) => {
        const lines = rules.map((rule, i) => line(i + 1, { rule }))
        const folds = foldLines(lines)
        expect(folds.flatMap((fold) => [fold.line, ...fold.alike])).to.deep.equal(lines)
        for (const { line: first, alike } of folds) {
          expect(alike.length === 0 || alike.length >= 2).to.equal(true)
          for (const each of alike) expect(saysOf(each)).to.deep.equal(saysOf(first))
        }
      }),
    )
    expect(foldLines([line(4), line(3), line(2), line(1)])).to.have.length(1)
  })

  it('fold no changes, and nothing across revisions, people or tokens', () => {
    const lines = (more: (i: number) => object) => [1, 2, 3, 4].map((i) => line(i, more(i)))
    for (const more of [
      (i: number) => ({ revision: i }),
      (i: number) => ({ subject: { id: String(i), role: 'editor', network: null } }),
      (i: number) => ({ token_id: `t${i}` }),
      () => ({ change: { restored: true } }),
    ])
      expect(foldLines(lines(more))).to.have.length(4)
  })

  it('stand newest first by their numbers, whatever their length, and by days', () => {
    expect(['9', '10', '9007199254740993', '9007199254740992'].map((id) => ({ id })).sort(byNewest)).to.deep.equal(
      ['9007199254740993', '9007199254740992', '10', '9'].map((id) => ({ id })),
    )
    const days = byDay([line(3), line(2), line(1)], (time) => (time === line(1).time ? 'Sunday' : 'Monday'))
    expect(days.map(({ day, lines }) => [day, lines.length])).to.deep.equal([
      ['Monday', 2],
      ['Sunday', 1],
    ])
    // at midnight one may get a lower number than an earlier one
    const [late, early] = ['2026-11-23T00:00:00.010Z', '2026-11-22T23:59:59.990Z'].map((time) => ({ time }))
    const around = [line(4, late), line(3, early), line(2, late), line(1, early)]
    const found = byDay(around, (time) => time.slice(0, 10))
    expect(found.map(({ day, lines }) => [day, lines.map(({ id }) => id)])).to.deep.equal([
      ['2026-11-23', ['4', '2']],
      ['2026-11-22', ['3', '1']],
    ])
  })
})

describe('what evidence is taken along with', () => {
  it('is the public key as a PEM file', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    expect(pemOf({ x, y })).to.equal(publicKey.export({ format: 'pem', type: 'spki' }))
    expect(createPublicKey(pemOf({ x, y })).equals(publicKey)).to.equal(true)
  })

  it('has a name that says its period, and a command that a shell takes as it is', () => {
    expect(evidenceName(null, null)).to.equal('evidence.ndjson')
    expect(evidenceName('2026-11-01T00:00', '2026-12-01T00:00')).to.equal(
      'evidence-from-2026-11-01-to-2026-12-01.ndjson',
    )
    expect(checkCommand(evidenceName('2026-11-01T00:00', null))).to.equal(
      'linkgate audit verify evidence-from-2026-11-01.ndjson --key linkgate-public.pem',
    )
  })
})
