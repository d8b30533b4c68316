import { expect } from 'chai'

import { deadlineExceeded } from '../../src/domain/deadline.js'
import { REFUSALS, Refusal, type RefusalCode } from '../../src/domain/refusal.js'
import { problemOf } from '../../src/http/problem.js'
import { textAt } from '../support/json.js'

const isCode = (code: string): code is RefusalCode => code in REFUSALS
const CODES = Object.keys(REFUSALS).filter(isCode)

const detailOf = (refusal: Refusal): string => textAt(problemOf(refusal, 'a-request'), 'detail')

describe('a problem', () => {
  it('says in a sentence what can be done, whatever its code', () => {
    for (const code of CODES) expect(detailOf(new Refusal(code)), code).to.match(/^\S.{5,}\.$/)
  })

  it('says what happened this time, or else what is wrong with which field, or else when to come again', () => {
    const errors = [
      { field: 'target', message: 'is required' },
      { field: '', message: 'a body is required' },
    ]
    const headers = { 'Retry-After': '7' }
    expect(detailOf(new Refusal('validation_failed', { detail: 'The table is full.', errors, headers }))).to.equal(
      'The table is full.',
    )
    expect(detailOf(new Refusal('validation_failed', { errors, headers }))).to.equal(
      'target: is required; a body is required.',
    )
    expect(detailOf(new Refusal('invalid_request', { errors: errors.slice(1) }))).to.equal('A body is required.')
    expect(detailOf(new Refusal('rate_limited', { headers }))).to.equal('Try again in 7 seconds.')
    expect(detailOf(new Refusal('rate_limited', { headers: { 'Retry-After': '1' } }))).to.equal(
      'Try again in 1 second.',
    )
    expect(detailOf(new Refusal('rate_limited', { errors: [] }))).to.equal(REFUSALS.rate_limited.advice)
    // the same again in a second may be as slow: the code's advice says more
    expect(detailOf(deadlineExceeded())).to.equal(REFUSALS.deadline_exceeded.advice)
  })

  it('says three faults of many, and how many more there are', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ field: `tags.${i}`, message: 'is bad' }))
    const said = 'tags.0: is bad; tags.1: is bad; tags.2: is bad'
    expect(detailOf(new Refusal('validation_failed', { errors: many(3) }))).to.equal(`${said}.`)
    expect(detailOf(new Refusal('validation_failed', { errors: many(5) }))).to.equal(`${said}; and 2 more.`)
  })

  it('lists fifty faults of many', () => {
    const errors = Array.from({ length: 1_000 }, (_, i) => ({ field: `tags.${i}`, message: 'is bad' }))
    const problem = problemOf(new Refusal('validation_failed', { errors }), 'a-request')
    expect(problem).to.deep.include({ errors: errors.slice(0, 50) })
    expect(textAt(problem, 'detail')).to.match(/; and 997 more\.$/)
  })

  it('says little of a field with a name that a caller made long, or of characters that no sentence has', () => {
    const named = (field: string) =>
      detailOf(new Refusal('validation_failed', { errors: [{ field, message: 'is not a field' }] }))
    expect(named('x'.repeat(100_000)).length).to.be.below(500)
    for (const before of ['', 'x']) expect(named(before + '\u{1F600}'.repeat(1_000))).to.not.match(/\p{Surrogate}/u)
    expect(named('a\0b')).to.equal('a\uFFFDb: is not a field.')
  })
})
