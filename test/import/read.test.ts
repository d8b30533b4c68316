import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { expect } from 'chai'
import { stringify } from 'csv-stringify/sync'
import * as fc from 'fast-check'

import { guardCell } from '../../src/csv/cell.js'
import { readJson } from '../../src/import/read-json.js'
import { withSource } from '../../src/import/with-source.js'
import { UnreadableFile, type SourceRecord } from '../../src/import/source.js'
import { linkReader } from '../../src/import/to-link.js'
import { codeOf } from '../../src/import/words.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('reading a file of links', () => {
  let file: string
  before(async () => {
    file = join(await makeTemporaryFolder(), 'links')
  })

  const read = async (text: string | Buffer, found: SourceRecord[] = []): Promise<readonly SourceRecord[]> => {
    await writeFile(file, text)
    return withSource(
      file,
      () => undefined,
      async ({ records }) => {
        for await (const record of records) found.push(record)
        return found
      },
    )
  }
  const fails = async (text: string | Buffer, found?: SourceRecord[]): Promise<string> => {
    const error: unknown = await read(text, found).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(UnreadableFile)
    return error instanceof Error ? error.message : ''
  }
  const cells = (records: readonly SourceRecord[]) => records.map((record) => Object.fromEntries(record.cells))

  it('any table comes back as it was written, by whatever cells and lines are separated', async () => {
    const sign = fc.constantFrom('a', 'ß', '€', '😀', ' ', ',', ';', '\t', '"', "'", '\n', '\r', '=', '-', '#', '\\')
    const cell = fc.string({ unit: sign, maxLength: 8 })
    const rows = fc.array(fc.tuple(fc.constant('x'), cell, cell), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.boolean(),
        async (table, delimiter, lineEnd, bom, quoted) => {
          const text = stringify([['first', 'second', 'third'], ...table.map((row) => row.map(guardCell))], {
            bom,
            delimiter,
            quoted,
            quoted_match: /[\r\n]/,
            record_delimiter: lineEnd,
          })
          const found = await read(text)
          expect(found.map(({ fault }) => fault).filter(Boolean)).to.deep.equal([])
          expect(cells(found)).to.deep.equal(table.map(([first, second, third]) => ({ first, second, third })))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('columns are found by their names, however they are written', async () => {
    const [record] = await read('Long URL;short_code;createdAt\nhttps://e.example/;x;2026-01-01\n')
    expect(Object.fromEntries(record?.cells ?? [])).to.deep.equal({
      longurl: 'https://e.example/',
      shortcode: 'x',
      createdat: '2026-01-01',
    })
  })

  it('each record knows the line on which it begins', async () => {
    const found = await read('"a\r\n",b\r\n1,2\r\n"1\r\n2",3\r\n\r\n4,5\r\n')
    expect(found.map(({ place }) => place)).to.deep.equal(['3', '4', '7'])
  })

  it('a row with more or fewer cells than there are columns is not guessed at', async () => {
    const found = await read('a,b\n1\n1,2,3\n1,2\n')
    expect(found.map(({ fault }) => fault !== undefined)).to.deep.equal([true, true, false])
    expect(found[1]?.fault).to.equal('has 3 cells, and the first line names 2 columns')
  })

  it('a row of empty cells, of which spreadsheets write many, is none', async () => {
    const found = await read('code;target\n;\na;x\n" "; \n;;;\nb;y\n;\n')
    expect(found.map(({ place, original }) => [place, original])).to.deep.equal([
      ['3', ['a', 'x']],
      ['6', ['b', 'y']],
    ])
  })

  it('lines may end differently in one file', async () => {
    for (const text of ['a,b\r\n1,2\n3,4\r', 'a,b\n1,2\r\n3,4\r\n', 'a,b\r1,2\n3,4']) {
      const found = await read(text)
      expect(cells(found), JSON.stringify(text)).to.deep.equal([
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ])
      expect(found.map(({ place }) => place)).to.deep.equal(['2', '3'])
    }
  })

  it('JSON is read by lines, as one document, and as the pages of APIs', async () => {
    const expected = [{ a: '1' }, { a: '2' }]
    for (const text of [
      '{"a":1}\n{"a":2}\n',
      '\ufeff{"a":1}\r\n\r\n{"a":"2"}',
      '[{"a":1},{"a":2}]',
      '{\n  "data": [\n    {"a": 1},\n    {"a": 2}\n  ]\n}\n',
      '{"links":{"link_1":{"a":1},"link_2":{"a":2}},"statusCode":200}',
      '{"shortUrls":{"data":[{"a":1},{"a":2}],"pagination":{}}}',
      '{"data":[{"a":1}]}\n{"data":[{"a":2}]}\n',
      '{"data":[{"a":1}]}{"data":[{"a":2}]}',
      '\n[{"a":1}] {"a":2}\n',
      '{\n  "data": [{"a": 1}]\n}{\n  "data": [{"a": 2}]\n}\n',
      '\r\n{\n  "data": [{"a": 1}, {"a": 2}]\n}\n',
    ])
      expect(cells(await read(text)), text).to.deep.equal(expected)
    expect(cells(await read('{"tags":["x","y"],"meta":{"maxVisits":3},"n":null}'))).to.deep.equal([
      { tags: 'x,y', metamaxvisits: '3', n: '' },
    ])
    expect((await read('{"a":1}\nnonsense\n[7]\n')).map(({ fault }) => fault)).to.deep.equal([
      undefined,
      'is not JSON, or nests too deep',
      'is not a JSON object',
    ])
  })

  it('a first line that is broken costs no other line', async () => {
    for (const broken of ['{"a":1,"tar', '{"a":1}}', '{"a":1]', '[7,']) {
      const found = await read(`\n${broken}\n\n{"a":2}\n{"a":\n{"a":3}{"a":4}\n`)
      expect(
        found.map(({ place, original, fault }) => [place, original, fault]),
        broken,
      ).to.deep.equal([
        ['2', { line: broken }, 'is not JSON, or nests too deep'],
        ['4', { a: 2 }, undefined],
        ['5', { line: '{"a":' }, 'is not JSON, or nests too deep'],
        ['6, link 1', { a: 3 }, undefined],
        ['6, link 2', { a: 4 }, undefined],
      ])
    }
  })

  it('JSON values on one line end where their brackets do, and each has its place', async () => {
    const value = fc.dictionary(fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', 'a') }), fc.string())
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 2, maxLength: 5 }), async (values) => {
        const found = await read(`{"a":1}\n${values.map((each) => JSON.stringify(each)).join('')}`)
        expect(found.map(({ place }) => place)).to.deep.equal(['1', ...values.map((_, at) => `2, link ${at + 1}`)])
        expect(found.slice(1).map(({ original }) => original)).to.deep.equal(
          values.map((each) => JSON.parse(JSON.stringify(each))),
        )
      }),
      { numRuns: 100 },
    )
    expect((await read('{"a":1}\n{"a":2}{"a":\n{"a":3}')).map(({ fault }) => fault)).to.deep.equal([
      undefined,
      'is not JSON, or nests too deep',
      undefined,
    ])
  })

  it('a long line is read in one go, however small its pieces are', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(4_000_000) })
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += 16) {
        // lets the timeout of the test end a reading that takes quadratic time
        await setImmediate()
        yield text.slice(at, at + 16)
      }
    }
    const lengths: (number | undefined)[] = []
    for await (const { cells: found } of readJson(pieces()).records) lengths.push(found.get('a')?.length)
    expect(lengths).to.deep.equal([4_000_000])
  })

  it('JSON that nests deeper than any link is refused, and the lines after it are read', async () => {
    for (const deep of [
      `{"tags":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `${'{"data":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    ]) {
      const records = await read(`{"a":1}\n${deep}\n{"a":2}\n`)
      expect(records.map(({ fault }) => fault)).to.deep.equal([undefined, 'is not JSON, or nests too deep', undefined])
    }
  })

  it('what is no such text is refused as a whole, with what to do', async () => {
    expect(await fails('')).to.equal('it is empty')
    expect(await fails(' \n\n')).to.equal('it is empty')
    expect(await fails(Buffer.from('a,b\n1,2\n', 'utf16le'))).to.include('CSV UTF-8')
    expect(await fails(Buffer.from([...Buffer.from('a,b\n'), 0xe4, ...Buffer.from(',2\n')]))).to.include('CSV UTF-8')
    expect(await fails('a;A \n1;2\n')).to.include('two of its columns')
    expect(await fails('{"a":1,\n"b":\n')).to.include('neither')
    expect(await fails('[\n  {"a":1},\n  {"a":2}\n')).to.include('neither')
    expect(await fails('{"a":\n7\n')).to.include('neither')
    expect(await fails('a,b\n1,2\n3,"4\n5,6\n')).to.match(/a quote is not closed/)
    expect(await fails(`a,b\n1,"${'x\n'.repeat(600_000)}`)).to.match(/a quote is not closed/)
  })

  it('what cannot be read begins after the last record, and every record before it is read', async () => {
    for (const end of ['\n', '\r\n', '\r'])
      for (const [last, why] of [
        [`7,"8${end}9`, /: a quote is not closed$/],
        [`7,${'8'.repeat(1_000_001)}`, /: a record is longer than 1,000,000 bytes, or a quote is not closed$/],
      ] as const) {
        const good = `a,b${end}${`1,"x${end}y"${end}`.repeat(1_000)}`
        const records: SourceRecord[] = []
        const message = await fails(good + last, records)
        expect(message, JSON.stringify(end)).to.match(why)
        expect(message).to.match(/^from line 2002 on/)
        expect(records.map(({ place }) => place)).to.deep.equal(
          Array.from({ length: 1_000 }, (_, n) => String(2 * n + 2)),
        )
      }
    expect(await fails('a,"b\r\n1,2\r\n')).to.match(/^from line 1 on/)
  })

  it('the code is the last part of a short URL', () => {
    for (const [text, code] of [
      ['abc', 'abc'],
      ['bit.ly/abc', 'abc'],
      ['https://bit.ly/abc', 'abc'],
      ['https://s.example/abc/?x=1#y', 'abc'],
      ['/abc/', 'abc'],
      ['localhost:8080/abc', 'abc'],
      ['spring/sale', 'spring/sale'],
      ['https://s.example/a%20b', 'a b'],
      ['https://s.example/a/b', 'a/b'],
      ['https://s.example/%zz', '%zz'],
      ['https://s.example/abc?x=1\n2', 'abc'],
      // longer than any URL that has a code
      [`https://s.example${'/'.repeat(50_000)}a`, `https://s.example${'/'.repeat(50_000)}a`],
    ] as const)
      expect(codeOf(text), text).to.equal(code)
  })
})

describe('a link of a file', () => {
  const toLink = linkReader({ baseUrl: 'https://own.example', host: '127.0.0.1', port: 3000, addresses: [] })
  const target = 'https://example.com/'

  it('passes the rules of POST /links, and those of its times', () => {
    const reasons: readonly (readonly [object, RegExp])[] = [
      [{}, /^target is missing$/],
      [{ target: 'ftp://example.com/' }, /^target must be an absolute http or https URL$/],
      [{ target: 'https://own.example/x' }, /^target must not be on this service itself$/],
      [{ target, code: 'a b' }, /^code must be 1 to 64 characters/],
      [{ target, code: 'API' }, /^code is reserved/],
      [{ target, title: 'x'.repeat(201) }, /^title must be at most 200/],
      [{ target, note: 'x'.repeat(2_001) }, /^note must be at most 2000/],
      [{ target, note: 'a\0b' }, /^note holds a character/],
      [{ target, note: 'a\ud800b' }, /^note holds a character/],
      [{ target, tags: 'a,#b' }, /^tags\.1 must be/],
      [{ target, status: '200' }, /^status must be 301, 302, 307 or 308$/],
      [{ target, active: 'maybe' }, /^active must be true or false$/],
      [{ target, active: `${' '.repeat(200_000)}x` }, /^active must be true or false$/],
      [{ target, has_password: 'maybe' }, /^has_password must be true or false$/],
      [{ target, max_visits: '0' }, /^max_visits must be at least 1$/],
      [{ target, max_visits: 'many' }, /^max_visits must be a whole number$/],
      [{ target, starts_at: 'tomorrow' }, /^starts_at must be a time/],
      [{ target, starts_at: '2030-01-02', expires_at: '2030-01-01' }, /^expires_at must be after starts_at$/],
      [{ target, created_at: '2999-01-01' }, /^created_at must not be in the future$/],
      [{ target, created_at: '31.12.2025' }, /^created_at must be a time/],
      [{ target, owner_id: 'ada' }, /^owner_id must be/],
      [{ target, password: 'short' }, /^password must have at least 8/],
      [{ target: 'x', code: '/' }, /^target .*; code /],
    ]
    for (const [words, rule] of reasons) {
      const link = toLink(words)
      expect(link.ok ? '' : link.reason, JSON.stringify(words)).to.match(rule)
    }
  })

  it('has its times in UTC, in whatever form they were written', () => {
    for (const [text, time] of [
      ['2024-02-29T12:00:00+01:00', '2024-02-29T11:00:00.000Z'],
      ['2020-10-26T17:20:40+0000', '2020-10-26T17:20:40.000Z'],
      ['2022-08-01 09:00:00.123456+00', '2022-08-01T09:00:00.123Z'],
      ['2011-03-02 12:34:56', '2011-03-02T12:34:56.000Z'],
      ['2011-03-02 12:34', '2011-03-02T12:34:00.000Z'],
      [' 2011-03-02 ', '2011-03-02T00:00:00.000Z'],
      ['2022-08-01T09:00:00.5Z', '2022-08-01T09:00:00.500Z'],
      ['2022-08-01T09:00:00-03:30', '2022-08-01T12:30:00.000Z'],
    ] as const) {
      const link = toLink({ target, created_at: text })
      expect(link.ok ? link.value.created_at : link.reason, text).to.equal(time)
    }
  })
})
