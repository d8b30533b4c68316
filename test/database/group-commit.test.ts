import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

import { expect } from 'chai'
import { array, assert, asyncProperty, constantFrom, record } from 'fast-check'
import { Client, types } from 'pg'

import type { WireStatement } from '../../src/database/batch.js'
import { enterChange } from '../../src/database/change.js'
import type { Change, ChangeForm, Entering } from '../../src/database/change.js'
import { openPool } from '../../src/database/pool.js'
import type { PooledDatabase } from '../../src/database/pool.js'
import { isDatabaseAway } from '../../src/database/errors.js'
import { groupCommits } from '../../src/database/group-commit.js'
import type { Statement } from '../../src/database/statement.js'
import { testDatabase } from '../support/database.js'
import type { TestDatabase } from '../support/database.js'
import { openWire } from '../support/proxy.js'
import type { Wire } from '../support/proxy.js'
import { addLink, addUserWithId, BY_HAND } from '../support/records.js'

/**
 * Changes that come at once and are committed together: each is still its caller's own, in what it may touch and in
 * what it is told.
 */
describe('changes that are committed together', () => {
  let db: TestDatabase
  let wire: Wire
  let pool: PooledDatabase
  let revision: number

  const USERS = ['1', '2', '3'] as const
  before(async () => {
    db = await testDatabase()
    for (const id of USERS) await addUserWithId(db, id, 'editor')
    revision = Number((await db.asOwner<{ revision: string }>('select revision from policy_head'))[0]?.revision)
    wire = await openWire(db.service)
  })
  after(() => wire.close())
  beforeEach(() => {
    pool = openPool({ connection: wire.connection, size: 5, deadlineMs: 2_000 })
  })
  afterEach(async () => {
    wire.mend()
    await pool.close()
  })

  interface Entered {
    readonly user: string
    readonly role?: string
    readonly reach?: 'links_own' | 'links_any'
    readonly request?: string
    readonly under?: number
  }
  const enter = ({
    user,
    role = 'editor',
    reach = 'links_own',
    request = 'together',
    under = revision,
  }: Entered): Entering => ({
    role: reach,
    userId: user,
    revision: under,
    decision: { ...JSON.parse(BY_HAND), request_id: request, subject_id: user },
    caller: { role, signIn: null, issuer: null, subject: null },
  })
  /** As the data layer's own guard is not there, row-level security alone keeps it to the user's rows. */
  const targetForm = (answer: string): ChangeForm => ({
    name: 'change',
    one: ({ code, target: to }) => ({
      text: `update links set target = $2 where code = $1 returning code, ${answer}`,
      values: [code, to],
    }),
    many: (rows) => ({
      text: `update links set target = towards from unnest($1::text[], $2::text[]) as given(of, towards) where code = of returning code, ${answer}`,
      values: [rows.map(({ code }) => code), rows.map(({ target: to }) => to)],
    }),
  })
  const FORMS = {
    links_own: targetForm('target, links.xmin::text as transaction'),
    links_any: targetForm('target, links.xmin::text as transaction'),
  }
  const changeOf = (
    code: string,
    target: string,
    entered: Entered,
    form = FORMS[entered.reach ?? 'links_own'],
  ): Change => ({
    code,
    entering: enter(entered),
    roleOfMany: entered.reach === 'links_any' ? 'links_any' : 'links_each',
    form,
    values: { code, target },
  })
  const change = async (code: string, target: string, entered: Entered, form?: ChangeForm) =>
    pool.change<{ target: string; transaction: string }>(changeOf(code, target, entered, form))
  const links = async (count: number, owner: string) =>
    Promise.all(Array.from({ length: count }, () => addLink(db, { owner })))
  const target = (n: number) => `https://example.com/${n}`
  const targets = async (codes: readonly string[]) => {
    const stored = new Map(
      (await db.asOwner<{ code: string; target: string }>('select code, target from links')).map((link) => [
        link.code,
        link.target,
      ]),
    )
    return codes.map((code) => stored.get(code))
  }
  /** Changes of all of them at once, by one user; the target of each is its place. */
  const changeAll = (codes: readonly string[], entered: Entered) =>
    codes.map((code, n) => change(code, target(n), entered))

  it('share transactions, and each is told its own result', async () => {
    const codes = await links(40, '1')
    const answers = await Promise.all(changeAll(codes, { user: '1' }))
    expect(answers.map((row) => row?.target)).to.deep.equal(codes.map((_, n) => target(n)))
    expect(await targets(codes)).to.deep.equal(codes.map((_, n) => target(n)))
    // one as soon as there are enough, as many as may beside it, and the rest when one of them has come back
    const transactions = answers.map((row) => String(row?.transaction))
    const sizes = [...new Set(transactions)].map((each) => transactions.filter((other) => other === each).length)
    expect(sizes).to.deep.equal([8, 16, 16])
  })

  it('are a transaction of their own where they come one by one', async () => {
    const codes = await links(3, '1')
    const transactions = new Set<unknown>()
    for (const code of codes) transactions.add((await change(code, target(1), { user: '1' }))?.transaction)
    expect(transactions.size).to.equal(3)
  })

  it('touch what their own caller reaches, and are recorded as theirs, whoever they share the transaction with', async () => {
    await assert(
      asyncProperty(
        array(
          record({
            user: constantFrom(...USERS),
            owner: constantFrom(...USERS),
            reach: constantFrom('links_own' as const, 'links_any' as const),
          }),
          { minLength: 3, maxLength: 24 },
        ),
        async (wanted) => {
          const codes = await Promise.all(wanted.map(({ owner }) => addLink(db, { owner })))
          const answers = await Promise.all(
            wanted.map(({ user, reach }, n) => change(codes[n] ?? '', target(n), { user, reach })),
          )
          const reached = wanted.map(({ user, owner, reach }) => reach === 'links_any' || user === owner)
          expect(answers.map((row) => row !== undefined)).to.deep.equal(reached)
          expect(await targets(codes)).to.deep.equal(
            wanted.map((_, n) => (reached[n] === true ? target(n) : 'https://example.com/')),
          )
          const recorded = new Map(
            (
              await db.asOwner<{ code: string; subject: string }>(
                `select resource_code as code, subject_id::text as subject from decisions where request_id = 'together' and resource_code = any ($1)`,
                [codes],
              )
            ).map(({ code, subject }) => [code, subject]),
          )
          expect(codes.map((code) => recorded.get(code))).to.deep.equal(
            wanted.map(({ user }, n) => (reached[n] === true ? user : undefined)),
          )
        },
      ),
      { numRuns: 15 },
    )
  })

  it('are proven in whatever role the one before them entered', async () => {
    for (const reach of ['links_own', 'links_any'] as const) {
      const other = { text: 'select enter($1, $2)', values: [reach, '2'] }
      await pool.flush([other, enterChange(enter({ user: '1' }))])
      expect(
        await pool.flush([other, enterChange(enter({ user: '1', role: 'admin' }))]).then(
          () => 'entered',
          (error: unknown) => Object(error).name,
        ),
      ).to.equal('CallerChanged')
    }
  })

  it('leave neither role nor settings to the next request', async () => {
    await Promise.all(changeAll(await links(20, '1'), { user: '1' }))
    await Promise.all(
      Array.from({ length: 5 }, async () =>
        expect(
          await pool.run({
            text: `select current_user as role, nullif(current_setting('app.user_id', true), '') as id, current_setting('lock_timeout') as patience`,
          }),
        ).to.deep.equal([{ role: 'linkgate_service', id: null, patience: '0' }]),
      ),
    )
  })

  it('fail alone: the others of the group are committed', async () => {
    const codes = await links(20, '1')
    const wrong: readonly (readonly [number, Entered, string])[] = [
      [5, { user: '1', under: 999 }, 'PolicyReplaced'],
      [9, { user: '1', role: 'admin' }, 'CallerChanged'],
      [12, { user: '1', role: 'viewer' }, 'CallerChanged'],
    ]
    const entered = new Map(wrong.map(([n, as]) => [n, as]))
    const outcomes = await Promise.allSettled(
      codes.map((code, n) => change(code, target(n), entered.get(n) ?? { user: '1' })),
    )
    expect(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? Object(outcome.reason).name : 'committed')),
    ).to.deep.equal(codes.map((_, n) => wrong.find(([place]) => place === n)?.[2] ?? 'committed'))
    expect(await targets(codes)).to.deep.equal(
      codes.map((_, n) => (entered.has(n) ? 'https://example.com/' : target(n))),
    )
  })

  it('that cannot be sent fail alone, too', async () => {
    const codes = await links(10, '1')
    const outcomes = await Promise.allSettled(
      codes.map((code, n) =>
        n === 7
          ? pool.change({ ...changeOf(code, target(n), { user: '1' }), values: { code } })
          : change(code, target(n), { user: '1' }),
      ),
    )
    expect(outcomes.map(({ status }) => status)).to.deep.equal(
      codes.map((_, n) => (n === 7 ? 'rejected' : 'fulfilled')),
    )
  })

  it('are never sent again where an answer could not be read, for they are committed', async () => {
    const MONEY = 790
    const codes = await links(10, '1')
    types.setTypeParser(MONEY, () => {
      throw new RangeError('unreadable')
    })
    try {
      const unreadable = targetForm(`'1'::money as amount`)
      const outcomes = await Promise.allSettled(
        codes.map((code, n) => change(code, target(n), { user: '1', request: 'unread' }, unreadable)),
      )
      expect(outcomes.map((outcome) => outcome.status === 'rejected' && Object(outcome.reason).name)).to.deep.equal(
        codes.map(() => 'RangeError'),
      )
    } finally {
      types.setTypeParser(MONEY, String)
    }
    expect(await targets(codes)).to.deep.equal(codes.map((_, n) => target(n)))
    const recorded = await db.asOwner<{ code: string }>(
      `select resource_code as code from decisions where request_id = 'unread'`,
    )
    expect(recorded.map(({ code }) => code).toSorted()).to.deep.equal(codes.toSorted())
  })

  it('do not wait for a row that somebody else holds', async () => {
    const codes = await links(12, '1')
    const held = codes[6] ?? ''
    const other = new Client(db.owner)
    await other.connect()
    try {
      await other.query('begin')
      await other.query('select from links where code = $1 for update', [held])
      const changes = changeAll(codes, { user: '1' })
      await Promise.all(changes.filter((_, n) => n !== 6))
      expect(await targets([held])).to.deep.equal(['https://example.com/'])
      await other.query('commit')
      await changes[6]
      expect(await targets(codes)).to.deep.equal(codes.map((_, n) => target(n)))
    } finally {
      await other.end()
    }
  })

  it('of one row stay in their order within a group', async () => {
    const [code = ''] = await links(1, '1')
    const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => change(code, target(n), { user: '1' })))
    expect(new Set(answers.map((row) => row?.transaction)).size).to.equal(1)
    expect(answers.map((row) => row?.target)).to.deep.equal(answers.map((_, n) => target(n)))
    expect(await targets([code])).to.deep.equal([target(4)])
  })

  it('of the same rows in many processes end, whatever order they come in', async () => {
    const codes = await links(16, '1')
    const pools = await Promise.all(
      Array.from({ length: 3 }, () => openPool({ connection: db.service, size: 5, deadlineMs: 5_000 })),
    )
    try {
      const outcomes = await Promise.all(
        pools.flatMap((each, i) =>
          Array.from({ length: 96 }, (_, n) => {
            const code = codes[(i % 2 === 0 ? n : 95 - n) % codes.length] ?? ''
            return each.change(changeOf(code, target(n), { user: '1' }))
          }),
        ),
      )
      expect(outcomes.every((row) => row !== undefined)).to.equal(true)
    } finally {
      for (const each of pools) await each.close()
    }
  })

  it('are told 503 where the connection is lost under them, and never that they failed', async () => {
    const codes = await links(40, '1')
    await pool.run({ text: 'select 1' })
    const changes = changeAll(codes, { user: '1' })
    const settled = Promise.allSettled(changes)
    // the first has come back, and the last ones are on their way
    await Promise.race(changes)
    wire.cut()
    const outcomes = (await settled).map((outcome) =>
      outcome.status === 'fulfilled' ? 'committed' : isDatabaseAway(outcome.reason) ? 'nobody knows' : outcome.reason,
    )
    expect(new Set(outcomes)).to.deep.equal(new Set(['committed', 'nobody knows']))
    // those that nobody used at that moment are gone, too
    while (pool.stats().total > 0) await nextTurn()
    wire.mend()
    expect(await change(codes[39] ?? '', target(100), { user: '1' })).to.include({ target: target(100) })
    for (const [n, stored] of (await targets(codes)).entries())
      if (outcomes[n] === 'committed') expect(stored).to.equal(target(n))
  })

  it('are on their way before those of the transaction before them are answered', async () => {
    const events: string[] = []
    // as a pool does, which lends a connection some ticks later
    const send = async (statements: readonly WireStatement[]) => {
      await new Promise((resolve) => {
        process.nextTick(resolve)
      })
      events.push('sent')
      await nextTurn()
      return statements.map(() => ({ rows: [], rowCount: 0 }))
    }
    const commit = groupCommits({
      wire: ({ text }) => ({ text, values: [], name: undefined }),
      send,
      deadlineMs: 1_000,
    })
    const of = async (code: string) => commit(changeOf(code, '', { user: '1' })).then(() => events.push('answered'))
    const first = of('a')
    await nextTurn()
    await Promise.all([first, of('b'), of('c')])
    expect(events).to.deep.equal(['sent', 'sent', 'answered', 'answered', 'answered'])
  })

  it('are a second transaction beside the first where sixteen wait, and where the way is long already where eight do', async () => {
    let length = 0
    const sizes: number[] = []
    const released: (() => void)[] = []
    const send = async (statements: readonly WireStatement[]) => {
      sizes.push(Number(statements[0]?.text))
      await (length > 0
        ? pause(length)
        : new Promise<void>((resolve) => {
            released.push(resolve)
          }))
      return statements.map(() => ({ rows: [], rowCount: 0 }))
    }
    const wireSize = ({ text, values }: Statement): WireStatement => ({
      text: text.includes('enter_changes') ? String(JSON.parse(String(values?.[2])).length) : '1',
      values: [],
      name: undefined,
    })
    const commit = groupCommits({ wire: wireSize, send, deadlineMs: 1_000 })
    const some = (count: number) =>
      Array.from({ length: count }, (_, n) => commit(changeOf(`${sizes.length}-${count}-${n}`, '', { user: '1' })))
    const release = () => {
      for (const each of released.splice(0)) each()
    }

    const near = [...some(8), ...some(15)]
    await nextTurn()
    expect(sizes.splice(0)).to.deep.equal([8])
    near.push(...some(1))
    expect(sizes.splice(0)).to.deep.equal([16])
    release()
    await Promise.all(near)

    length = 20
    for (let n = 0; n < 10; n += 1) await Promise.all(some(1))
    length = 0
    sizes.splice(0)
    const far = [...some(8), ...some(8)]
    expect(sizes).to.deep.equal([8, 8])
    release()
    await Promise.all(far)
  })

  it('are not held up by one that waits for a row', async () => {
    const [held = '', ...codes] = await links(5, '1')
    const other = new Client(db.owner)
    await other.connect()
    try {
      await other.query('begin')
      await other.query('select from links where code = $1 for update', [held])
      const waits = change(held, target(9), { user: '1' })
      expect((await Promise.all(changeAll(codes, { user: '1' }))).map((row) => row?.target)).to.deep.equal(
        codes.map((_, n) => target(n)),
      )
      await other.query('commit')
      expect(await waits).to.include({ target: target(9) })
    } finally {
      await other.end()
    }
  })

  it('that waited for longer than the deadline are never sent', async () => {
    const sent: string[] = []
    const deadlineMs = 20
    // a transaction takes twice as long as a change may wait
    const send = async (statements: readonly WireStatement[]) => {
      sent.push(...statements.map(({ text }) => text).filter((text) => !text.startsWith('select enter_change(')))
      await pause(2 * deadlineMs)
      return statements.map(() => ({ rows: [], rowCount: 0 }))
    }
    const slow = groupCommits({ wire: ({ text }) => ({ text, values: [], name: undefined }), send, deadlineMs })
    const of = (text: string): Change => ({
      ...changeOf(text, '', { user: '1' }),
      form: { name: text, one: () => ({ text }), many: () => ({ text: 'many' }) },
    })
    const first = slow(of('a'))
    await nextTurn()
    const others = await Promise.allSettled([slow(of('b')), slow(of('c'))])
    expect(others.map((outcome) => outcome.status === 'rejected' && isDatabaseAway(outcome.reason))).to.deep.equal([
      true,
      true,
    ])
    await first
    await slow(of('d'))
    expect(sent).to.deep.equal(['a', 'd'])
  })
})
