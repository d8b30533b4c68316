import * as library from '@node-rs/argon2'
import { expect } from 'chai'

import { Refusal } from '../../src/domain/refusal.js'
import { createPasswords, type Passwords } from '../../src/identity/password.js'

const refusalOf = async (promise: Promise<unknown>): Promise<Refusal | null> =>
  promise.then(
    () => null,
    (error: unknown) => {
      if (error instanceof Refusal) return error
      throw error
    },
  )

describe('passwords', () => {
  let passwords: Passwords
  before(async () => {
    passwords = await createPasswords()
  })

  it('are hashed by argon2id with 19 MiB, 2 passes, one lane and a random salt', async () => {
    const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(one).to.not.equal(two)
  })

  it('match themselves and nothing else', async () => {
    const hash = await passwords.hash('correct horse')
    expect(await passwords.verify(hash, 'correct horse')).to.equal(true)
    for (const other of ['correct horsf', 'Correct horse', 'correct horse ', 'correct', '']) {
      expect(await passwords.verify(hash, other), other).to.equal(false)
    }
  })

  it('match in every Unicode form that a keyboard may send', async () => {
    expect(await passwords.verify(await passwords.hash('motörhead'), 'moto\u0308rhead')).to.equal(true)
  })

  it('never match where the account has no hash, or a broken one', async () => {
    for (const hash of [undefined, null, '', 'plain text', '$argon2id$v=19$m=19456,t=2,p=1$AAAA']) {
      expect(await passwords.verify(hash, 'correct horse')).to.equal(false)
    }
  })

  it('with a line break are refused: no field of a page takes one', async () => {
    for (const password of ['correct horse\n', 'correct\r\nhorse', 'correct\thorse']) {
      const refusal = await refusalOf(passwords.hash(password))
      expect(refusal).to.include({ code: 'validation_failed' })
      expect(refusal?.errors).to.deep.equal([{ field: 'password', message: 'must be one line' }])
    }
  })

  for (const [length, password] of [
    [7, 'a'.repeat(7)],
    [257, 'a'.repeat(257)],
    [7, '😀'.repeat(7)],
    [100_000, 'a'.repeat(100_000)],
    [0, ''],
  ] as const) {
    it(`of ${length} characters are refused, naming the field (${password.slice(0, 2)})`, async () => {
      const refusal = await refusalOf(passwords.hash(password))
      expect(refusal).to.include({ code: 'validation_failed' })
      expect(refusal?.errors).to.deep.equal([{ field: 'password', message: 'must have 8 to 256 characters' }])
      expect(await passwords.verify(undefined, password)).to.equal(false)
    })
  }

  it('of 8 and of 256 characters are accepted: characters are counted, not bytes', async () => {
    for (const password of ['a'.repeat(8), '😀'.repeat(8), 'a'.repeat(256), '😀'.repeat(256)]) {
      expect(await passwords.verify(await passwords.hash(password), password)).to.equal(true)
    }
  })

  it('are never truncated: two of 256 characters that differ in the last do not match', async () => {
    expect(await passwords.verify(await passwords.hash(`${'a'.repeat(255)}b`), 'a'.repeat(256))).to.equal(false)
  })

  it('take the same work where the account has none: one verification of a hash with the same parameters', async () => {
    const checked: string[] = []
    const counted = await createPasswords({
      argon2: {
        hash: library.hash,
        verify: (hash, password) => {
          checked.push(String(hash))
          return library.verify(hash, password)
        },
      },
    })
    expect(await counted.verify(undefined, 'correct horse')).to.equal(false)
    expect(await counted.verify(null, 'correct horse')).to.equal(false)
    expect(checked).to.have.length(2)
    for (const hash of checked) expect(hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/)
  })

  it('refuse a burst with 429 instead of taking all memory, also for unknown accounts', async () => {
    const few = await createPasswords({ atOnce: 1, waiting: 3 })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refusalOf(few.verify(undefined, 'correct horse'))),
    )
    expect(answers.filter((answer) => answer === null)).to.have.length(4)
    for (const answer of answers.filter((each) => each !== null)) {
      expect(answer).to.include({ code: 'rate_limited' })
      expect(answer.headers).to.deep.equal({ 'Retry-After': '1' })
    }
    expect(await few.verify(await few.hash('correct horse'), 'correct horse')).to.equal(true)
  })
})
