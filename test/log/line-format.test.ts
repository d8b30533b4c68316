import { stripVTControlCharacters } from 'node:util'

import { expect } from 'chai'
import { anything, assert, constantFrom, dictionary, oneof, property, string } from 'fast-check'
import type { Logger } from 'pino'

import { createLogger } from '../../src/log/create-logger.js'
import { textLine } from '../../src/log/line-format.js'

/** The one line that the program's logger writes for people. */
const lineOf = (write: (log: Logger) => void, { colours = false } = {}): string => {
  const written: string[] = []
  write(createLogger('trace', { write: (line: string) => void written.push(line) }, textLine({ colours })))
  expect(written).to.have.length(1)
  return written[0] ?? ''
}

/** Without the time of day. */
const saidOf = (write: (log: Logger) => void): string => {
  const [, said] = /^\d\d:\d\d:\d\d  (.*)\n$/.exec(lineOf(write)) ?? []
  return said ?? expect.fail('no time of day')
}

/** What no line may hold, but for the line break that ends it. */
// eslint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is looked for
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/

describe('a log line for people', () => {
  it('begins with the time of day, as the clock on their wall has it', () => {
    const time = new Date(2026, 10, 23, 7, 8, 9).getTime()
    expect(textLine({ colours: false })(JSON.stringify({ level: 30, time, msg: 'x' }))).to.equal('07:08:09  x\n')
  })

  it('names the level from warnings on', () => {
    expect(saidOf((log) => log.debug('x'))).to.equal('x')
    expect(saidOf((log) => log.info('x'))).to.equal('x')
    expect(saidOf((log) => log.warn('x'))).to.equal('warning  x')
    expect(saidOf((log) => log.error('x'))).to.equal('error  x')
    expect(saidOf((log) => log.fatal('x'))).to.equal('fatal  x')
  })

  it('has a request’s method, route, status and time, and none of the fields that are for programs', () => {
    const request = { method: 'GET', route: '/links/:code', status: 404, duration_ms: 3.214, bytes: 243, revision: 7 }
    expect(saidOf((log) => log.info({ ...request, request_id: 'abc', rule: 'R5' }, 'request'))).to.equal(
      'request  GET /links/:code 404  3 ms',
    )
    expect(saidOf((log) => log.warn({ ...request, request_id: 'abc' }, 'request'))).to.equal(
      'warning  request  GET /links/:code 404  3 ms  request abc',
    )
  })

  it('says why: an error’s message, or its code where it has none, in one line and without the stack', () => {
    expect(saidOf((log) => log.error({ err: new Error('no\n  room') }, 'failed'))).to.equal('error  failed: no room')
    const unreachable = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
    expect(saidOf((log) => log.warn({ err: unreachable }, 'away'))).to.equal('warning  away: ECONNREFUSED')
    expect(saidOf((log) => log.error(new Error('alone')))).to.equal('error  alone')
  })

  it('is dim, yellow and red where the terminal takes colours, with the same words', () => {
    const write = (log: Logger) => log.error({ url: 'http://127.0.0.1' }, 'x')
    const coloured = lineOf(write, { colours: true })
    expect(coloured).to.include('\u001b[31merror\u001b[39m').and.include('\u001b[2mhttp://127.0.0.1\u001b[22m')
    expect(stripVTControlCharacters(coloured)).to.match(/^\d\d:\d\d:\d\d  error  x  http:\/\/127\.0\.0\.1\n$/)
    expect(lineOf((log) => log.warn('x'), { colours: true })).to.include('\u001b[33mwarning\u001b[39m')
  })

  it('is one line without a character that a terminal obeys, whatever is in it', () => {
    const units = oneof(constantFrom('\n', '\r', '\u001b[2J', '\u009b31m', '\u202e', '\u{e0041}'), string())
    const texts = string({ unit: oneof(units, string({ unit: 'binary', maxLength: 2 })) })
    const names = constantFrom('method', 'route', 'status', 'url', 'file', 'job', 'worker', 'request_id', 'other')
    assert(
      property(texts, texts, dictionary(names, oneof(texts, anything())), (message, reason, fields) => {
        const line = lineOf((log) => log.error({ ...fields, err: new Error(reason) }, message.replaceAll('%', '')))
        expect(line.slice(0, -1)).to.not.match(OBEYED)
        expect(line.at(-1)).to.equal('\n')
      }),
    )
  })

  it('omits what the log omits: what PostgreSQL says of rows', () => {
    const err = Object.assign(new Error('a row is wrong'), { detail: 'Key (email)=(ada@example.com)' })
    expect(lineOf((log) => log.error({ err }, 'failed')))
      .to.include('a row is wrong')
      .and.not.include('ada')
  })
})
