import { expect } from 'chai'

import { openPool } from '../../../src/database/pool.js'
import type { PooledDatabase } from '../../../src/database/pool.js'
import { Refusal } from '../../../src/domain/refusal.js'
import { findLinksTogether } from '../../../src/layers/4-data/public-links.js'
import { testDatabase } from '../../support/database.js'

describe('links that are asked for together', () => {
  let pool: PooledDatabase
  const sent: (string | undefined)[] = []
  const find = findLinksTogether({
    run: async (statement) => {
      sent.push(statement.name)
      return pool.run(statement)
    },
  })

  before(async () => {
    const db = await testDatabase()
    pool = openPool({ connection: db.service, size: 2, deadlineMs: 5_000 })
    await db.asOwner('alter table links disable trigger link_decision')
    // texts that an array's own form, or a list, would read as something else
    await db.asOwner(
      `insert into links (code, target) select code, 'https://example.com/' || code from unnest(array['NULL', 'null', '-', '_', 'a', 'A']) code`,
    )
    await db.asOwner(
      `insert into links (code, target) select 'many-' || n, 'https://example.com/' || n from generate_series(1, 250) n`,
    )
  })
  after(() => pool.close())
  beforeEach(() => {
    sent.length = 0
  })

  const targets = async (codes: readonly string[]) =>
    (await Promise.all(codes.map(find))).map((link) => link?.target.slice('https://example.com/'.length) ?? null)

  it('are asked for in one statement, and each gets their own', async () => {
    const codes = ['a', 'A', 'NULL', 'null', '-', '_', 'a']
    expect(await targets([...codes, 'absent'])).to.deep.equal([...codes, null])
    expect(sent).to.deep.equal(['find_links'])
  })

  it('are the very records that one who asks alone gets', async () => {
    const alone = await find('a')
    expect((await Promise.all([find('a'), find('A')]))[0]).to.deep.equal(alone)
    expect(sent).to.deep.equal(['find_link', 'find_links'])
  })

  it('are asked for in several statements where they are many', async () => {
    const numbers = Array.from({ length: 250 }, (_, i) => String(i + 1))
    expect(await targets(numbers.map((n) => `many-${n}`))).to.deep.equal(numbers)
    expect(sent).to.deep.equal(['find_links', 'find_links', 'find_links'])
  })

  it('are none where the text is no code, which asks nobody', async () => {
    expect(await targets(['a,A', '', 'a b', `'`, '{a}', 'x'.repeat(65)])).to.deep.equal([
      null,
      null,
      null,
      null,
      null,
      null,
    ])
    expect(sent).to.deep.equal([])
  })

  it('wait for nobody who asked before', async () => {
    let answerFirst: (() => void) | undefined
    const held = findLinksTogether({
      run: async (statement) => {
        if (answerFirst === undefined)
          await new Promise<void>((resolve) => {
            answerFirst = resolve
          })
        return pool.run(statement)
      },
    })
    const first = held('a')
    await new Promise(setImmediate)
    expect(await held('A')).to.include({ code: 'A' })
    answerFirst?.()
    expect(await first).to.include({ code: 'a' })
  })

  it('fail together, and are asked for anew after it', async () => {
    let away = true
    const failing = findLinksTogether({
      run: async (statement) => {
        if (away) throw new Refusal('database_unavailable')
        return pool.run(statement)
      },
    })
    const failed = await Promise.allSettled([failing('a'), failing('A')])
    expect(failed.map((each) => each.status === 'rejected' && each.reason.code)).to.deep.equal([
      'database_unavailable',
      'database_unavailable',
    ])
    away = false
    expect(await failing('a')).to.include({ code: 'a' })
  })
})
