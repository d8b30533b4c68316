import { expect } from 'chai'
import * as fc from 'fast-check'

import { MOST_BYTES, MOST_ITEMS, bytesOf, chunksOf } from '../../src/console/parts/chunks.js'
import { detectFormat } from '../../src/console/pages/import/detect-format.js'
import { outcomeOf } from '../../src/console/pages/import/outcome.js'
import { rowsOf } from '../../src/console/pages/import/rows.js'
import { settle } from '../../src/console/pages/import/there-already.js'
import { FORMATS } from '../../src/import/formats.js'
import type { SourceRecord } from '../../src/import/source.js'

const record = (cells: Readonly<Record<string, string>>, place = '2'): SourceRecord => ({
  place,
  cells: new Map(Object.entries(cells)),
  original: Object.values(cells),
})
const target = 'https://example.com/'

describe('the rows of an import', () => {
  it('are what the service takes, without what only the command line sets', () => {
    const cells = {
      id: '7',
      code: 'a',
      target,
      ownerid: '3',
      createdat: '2020-01-01',
      tags: 'x|y',
      status: '301',
      active: 'no',
      maxvisits: '5',
      expiresat: '2030-01-01',
      title: '',
    }
    const [row] = rowsOf([record(cells)], FORMATS.csv, new Map())
    expect(row?.item).to.deep.equal({
      code: 'a',
      target,
      tags: ['x', 'y'],
      status: 301,
      active: false,
      max_visits: 5,
      expires_at: '2030-01-01T00:00:00Z',
    })
    expect(row?.outcome).to.deep.equal({ is: 'open' })
  })

  it('take columns by another name, and leave out a field that is to be left out', () => {
    const found = record({ webaddress: target, short: 'https://s.example/abc', title: 'T' })
    const map = new Map([
      ['target', 'webaddress'],
      ['code', 'short'],
      ['title', null],
    ] as const)
    expect(rowsOf([found], FORMATS.csv, map)[0]?.item).to.deep.equal({ target, code: 'abc' })
  })

  it('take a column that is mapped for its field alone', () => {
    const map = new Map([['note', 'title']] as const)
    expect(rowsOf([record({ target, title: 'T', note: 'N' })], FORMATS.csv, map)[0]?.item).to.deep.equal({
      target,
      note: 'T',
    })
    const bitly = record({ longurl: target, customlink: 's.example/a', link: 'bit.ly/x' })
    const asNote = new Map([['note', 'customlink']] as const)
    expect(rowsOf([bitly], FORMATS.bitly, asNote).map(({ code }) => code)).to.deep.equal(['x'])
  })

  it('are refused without an address, and where the record could not be read', () => {
    const broken = { ...record({}), fault: 'has 3 cells, and the first line names 2 columns' }
    const rows = rowsOf([record({ code: 'a' }), broken, record({ target, note: 'a\0b' })], FORMATS.csv, new Map())
    expect(rows.map(({ outcome }) => outcome)).to.deep.equal([
      { is: 'refused', why: { is: 'no target' } },
      { is: 'refused', why: { is: 'text', text: broken.fault } },
      { is: 'refused', why: { is: 'text', text: 'note holds a character that cannot be stored' } },
    ])
  })

  it('meet earlier rows: the same link is made once, and a code goes to one target', () => {
    const rows = rowsOf(
      [
        record({ code: 'a', target }, '2'),
        record({ code: 'a', target }, '3'),
        record({ code: 'a', target: 'https://example.com/b' }, '4'),
        record({ code: 'A', target }, '5'),
        record({ target }, '6'),
        record({ target: 'https://example.com/ä' }, '7'),
        record({ target: 'https://example.com/%C3%A4' }, '8'),
      ],
      FORMATS.csv,
      new Map(),
    )
    expect(rows.map(({ outcome }) => outcome)).to.deep.equal([
      { is: 'open' },
      { is: 'there', line: '2' },
      { is: 'conflict', why: { is: 'line', place: '2' } },
      { is: 'open' },
      { is: 'there', line: '2' },
      { is: 'open' },
      { is: 'there', line: '7' },
    ])
  })

  it('of one record may be several', () => {
    const bitly = record({ longurl: target, customlink: 's.example/a, s.example/b', link: 'bit.ly/x' })
    expect(rowsOf([bitly], FORMATS.bitly, new Map()).map(({ code, at }) => [at, code])).to.deep.equal([
      [0, 'a'],
      [1, 'b'],
    ])
  })

  it('keep a password apart, and tell where one is missing', () => {
    const [given, missing] = rowsOf(
      [
        record({ code: 'a', target, password: 'a long one', haspassword: 'true' }),
        record({ code: 'b', target, haspassword: 't' }),
      ],
      FORMATS.csv,
      new Map(),
    )
    expect(given).to.include({ password: 'a long one', lacksPassword: false })
    expect(given?.item).not.to.have.property('password')
    expect(missing).to.include({ password: '', lacksPassword: true })
  })

  it('that no request can hold are refused, so that they hold up no other', () => {
    const [row] = rowsOf([record({ target, note: 'x'.repeat(MOST_BYTES) })], FORMATS.csv, new Map())
    expect(row?.outcome).to.deep.equal({ is: 'refused', why: { is: 'too long' } })
  })
})

describe('the requests of an import', () => {
  it('hold every item once and in order, and none is larger than the service takes', () => {
    const sizes = fc.array(fc.nat({ max: 400_000 }), { maxLength: 30 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 2_500 }), (large, small) => {
        const all = [...large, ...Array.from({ length: small }, () => 1)].map((length, at) => ({
          item: { at, text: '€'.repeat(length / 3) },
        }))
        const chunks = chunksOf(all)
        expect(chunks.flat()).to.deep.equal(all)
        for (const chunk of chunks) {
          expect(chunk.length).to.be.within(1, MOST_ITEMS)
          const items = chunk.map(({ item }) => item)
          expect(items.reduce((sum, item) => sum + bytesOf(item), 0)).to.be.at.most(MOST_BYTES)
          expect(Buffer.byteLength(JSON.stringify({ operation: 'create', items }))).to.be.at.most(1_048_576)
        }
      }),
      { numRuns: 30 },
    )
  })
})

describe('what became of an item', () => {
  it('is read from its status and its problem', () => {
    expect(outcomeOf({ index: 0, status: 201 })).to.deep.equal({ is: 'new' })
    expect(outcomeOf({ index: 0, status: 201, link: { url: 'https://s.example/a' } })).to.deep.equal({
      is: 'made',
      url: 'https://s.example/a',
    })
    expect(outcomeOf({ index: 0, status: 409, problem: { code: 'code_taken' } })).to.deep.equal({ is: 'taken' })
    const errors = [
      { field: 'target', message: 'must be an absolute http or https URL' },
      { field: 'code', message: 'is reserved for the service' },
    ]
    for (const [status, problem] of [
      [422, { code: 'validation_failed', title: 'x', errors }],
      [409, { code: 'conflict', title: 'It has changed', detail: 'Load it again.' }],
      [403, { code: 'policy_denied', title: 'The policy denies this', rule: 'R4' }],
    ] as const)
      expect(outcomeOf({ index: 0, status, problem })).to.deep.equal({
        is: 'refused',
        why: { is: 'refusal', refusal: { status, detail: undefined, rule: undefined, errors: [], ...problem } },
      })
  })

  it('with a taken code depends on where the link leads that has it', () => {
    const known = {
      byCode: new Map([
        ['same', target],
        ['other', 'https://example.com/other'],
        ['guarded', null],
      ]),
      ownTargets: new Set([target]),
    }
    const settled = (cells: Readonly<Record<string, string>>, is: 'taken' | 'new') => {
      const [row] = rowsOf([record(cells)], FORMATS.csv, new Map())
      return row && settle({ ...row, outcome: { is } }, known)
    }
    expect(settled({ code: 'same', target }, 'taken')).to.deep.equal({ is: 'there' })
    expect(settled({ code: 'other', target }, 'taken')).to.deep.equal({ is: 'conflict', why: { is: 'other target' } })
    expect(settled({ code: 'guarded', target }, 'taken')).to.deep.equal({ is: 'conflict', why: { is: 'not yours' } })
    expect(settled({ code: 'unknown', target }, 'taken')).to.deep.equal({ is: 'conflict', why: { is: 'not yours' } })
    expect(settled({ target }, 'new')).to.deep.equal({ is: 'there' })
    expect(settled({ target: 'https://example.com/new' }, 'new')).to.deep.equal({ is: 'new' })
    expect(settled({ code: 'free', target }, 'new')).to.deep.equal({ is: 'new' })
  })
})

describe('whose file it is', () => {
  it('shows in its columns', () => {
    for (const [columns, format] of [
      ['id,code,target,owner_id', 'csv'],
      ['Link,Custom Link,Destination URL', 'bitly'],
      ['link,long_url,title', 'bitly'],
      ['createdAt,domain,shortCode,shortUrl,longUrl', 'shlink'],
      ['id,address,target,description', 'kutt'],
      ['keyword,url,title,timestamp,ip,clicks', 'yourls'],
      ['source,target,hits', 'yourls'],
      ['Web address,Short name', 'csv'],
      ['target,title', 'csv'],
    ] as const)
      expect(detectFormat(columns.split(',')), columns).to.equal(format)
  })
})
