import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import { DatabaseError } from 'pg'

import { CallerChanged, PolicyReplaced, isDatabaseAway, translateError } from '../../src/database/errors.js'
import { Refusal } from '../../src/domain/refusal.js'
import { at } from '../support/json.js'

const withState = (code: string) => Object.assign(new DatabaseError('message', 1, 'error'), { code })

describe('an error of the database', () => {
  for (const message of ['Connection terminated unexpectedly', 'Query read timeout', 'timeout expired']) {
    it(`is a database that is away: ${message}`, () => {
      expect(isDatabaseAway(translateError(new Error(message)))).to.equal(true)
    })
  }

  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND']) {
    it(`is a database that is away: ${code}`, () => {
      expect(isDatabaseAway(translateError(Object.assign(new Error('x'), { code })))).to.equal(true)
    })
  }

  for (const message of ['a row was appended twice', 'the user is suspended', 'the list is closed', 'recommended']) {
    it(`is our own fault, and stays what it is: ${message}`, () => {
      const error = new Error(message)
      expect(translateError(error)).to.equal(error)
    })
  }

  it('that our functions raise is what they mean', () => {
    expect(translateError(withState('LG001'))).to.be.instanceOf(PolicyReplaced)
    expect(translateError(withState('LG007'))).to.be.instanceOf(CallerChanged)
    for (const [state, code] of [
      ['LG003', 'last_admin'],
      ['LG004', 'request_in_progress'],
      ['LG005', 'already_created'],
      ['LG006', 'too_many_tokens'],
      ['LG009', 'idempotency_key_reused'],
      ['57P01', 'database_unavailable'],
      ['40P01', 'conflict'],
    ] as const) {
      expect(translateError(withState(state)), state).to.include({ code })
    }
  })

  it('that counted tokens says how many there may be', async () => {
    const sql = await readFile(new URL('../../migrations/functions/personal_tokens.sql', import.meta.url), 'utf8')
    const [, most] = /at most (\d+) live personal tokens/.exec(sql) ?? []
    const error = translateError(withState('LG006'))
    expect(error).to.be.instanceOf(Refusal)
    expect(String(at(error, 'detail'))).to.include(`${most} live personal tokens`)
  })
})
