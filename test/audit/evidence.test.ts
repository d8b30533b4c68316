import { expect } from 'chai'
import { Client } from 'pg'

import { signCheckpoint } from '../../src/audit/checkpoint.js'
import { expireMonths } from '../../src/audit/expire-months.js'
import {
  endOf,
  evidenceLog,
  fileOf,
  linesOf,
  newKey,
  refusal,
  typeOf,
  verified,
  type EvidenceLog,
  type TestKey,
} from '../support/evidence.js'
import { fillLog } from '../support/fill-log.js'
import { at } from '../support/json.js'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

describe('evidence', () => {
  let key: TestKey
  let other: TestKey
  let log: EvidenceLog

  before(async () => {
    key = await newKey()
    other = await newKey()
  })
  beforeEach(async () => {
    log = await evidenceLog(key)
  })
  afterEach(() => log.close())

  it('of the whole log is intact, and says what is signed and what is newer', async () => {
    await log.busyLog()
    const file = await log.evidence()
    const { faults, ...verdict } = await verified(file, [key])
    expect(faults).to.deep.equal([])
    expect(verdict).to.include({ entries: 48, in_period: 48, chains: 4, checkpoints: 4, after_checkpoint: 7 })
    expect(verdict).to.include({ signed_by: key.kid, pinned: true })
    expect(refusal(file, [key])).to.equal(null)
    expect(refusal(file, []), 'with the key that the file names').to.equal(null)
    expect((await verified(file, [])).pinned).to.equal(false)
  })

  it('of a period has all its entries, and those that lead to the checkpoints around it', async () => {
    const { from, to } = await log.busyLog()
    const file = await log.evidence({ from, to })
    const verdict = await verified(file, [key])
    expect(verdict.faults).to.deep.equal([])
    expect(refusal(file, [key])).to.equal(null)
    expect(verdict).to.include({ in_period: 26, entries: 29, checkpoints: 3, after_checkpoint: 0 })
    const lines = linesOf(file)
    expect(lines.slice(0, 2).map(typeOf)).to.deep.equal(['evidence', 'start'])
    expect(lines.filter((line) => line.includes('"late\\"'))).to.have.length(2)
    // every checkpoint stands behind exactly what it covers: both verifiers would name anything else
    expect(lines.at(-2) ?? '').to.include('"type":"checkpoint"')
  })

  it('of a period without entries is intact, and of one to come ends now', async () => {
    await log.busyLog()
    const from = await log.moment()
    const verdict = await verified(await log.evidence({ from, to: '2999-01-01T00:00:00Z' }), [key])
    expect(verdict).to.deep.include({ faults: [], in_period: 0 })
    expect(Date.parse(verdict.header?.to ?? '')).to.be.below(Date.now() + 60_000)
    const past = await verified(await log.evidence({ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }), [key])
    expect(past).to.deep.include({ faults: [], in_period: 0 })
  })

  it('shows as text at a terminal whatever the log holds', async () => {
    await log.busyLog()
    const text = (await log.evidence()).toString()
    expect(text)
      .to.include('\\u202e')
      .and.not.to.match(/[\u202e\u2028]/)
  })

  it('goes on where months were retired, before the period and within it', async () => {
    for (const [month, next] of [
      ['01', '02'],
      ['02', '03'],
    ])
      for (const statement of [
        `create table decisions_2026_${month} (like decisions including defaults)`,
        `alter table decisions attach partition decisions_2026_${month}
           for values from ('2026-${month}-01T00:00:00Z') to ('2026-${next}-01T00:00:00Z')`,
      ])
        await log.db.asOwner(statement)
    await fillLog(log.db, 10, { time: `timestamptz '2026-01-15T00:00:00Z'` })
    await log.sign()
    await log.db.asOwner(`update audit_checkpoints set time = '2026-01-16T00:00:00Z'`)
    await fillLog(log.db, 10, { time: `timestamptz '2026-02-15T00:00:00Z'` })
    await fillLog(log.db, 6)
    await log.sign()
    const owner = new Client(log.db.owner)
    await owner.connect()
    try {
      for (const before of ['2026-02', '2026-03']) {
        await expireMonths(owner, { before, key, dryRun: false })
        for (const period of [{}, { from: '2026-02-20T00:00:00Z' }, { from: '2025-01-01T00:00:00Z' }]) {
          const file = await log.evidence(period)
          expect((await verified(file, [key])).faults, JSON.stringify(period)).to.deep.equal([])
          expect(refusal(file, [key]), JSON.stringify(period)).to.equal(null)
        }
        await fillLog(log.db, 3)
      }
    } finally {
      await owner.end()
    }
  })

  it('of a log that was tampered with says so in the signed line, and names what it found', async () => {
    const { from, to } = await log.busyLog()
    const [, , third] = await log.db.asOwner<{ id: string }>(
      'select id from decisions where time >= $1 and time < $2 order by id',
      [from, to],
    )
    for (const statement of [
      `update decisions set effect = 'allow' where id = ${third?.id}`,
      `delete from decisions where id = ${third?.id}`,
      'delete from decisions where writer = 2',
    ]) {
      await log.db.asOwner(statement)
      const file = await log.evidence({ from, to })
      expect(at(endOf(linesOf(file)), 'faults'), statement).to.be.greaterThan(0)
      expect((await verified(file, [key])).faults.length, statement).to.be.greaterThan(1)
      expect(refusal(file, [key]), statement).to.include('a log that was intact')
    }
  })

  it('takes no checkpoint that somebody put there, and none twice', async () => {
    await fillLog(log.db, 6)
    await log.sign()
    await fillLog(log.db, 6)
    await log.sign()
    const [first] = await log.db.asOwner<{ jws: string }>('select jws from audit_checkpoints order by id')
    const heads = [{ writer: '1', seq: '3', hash: 'ab'.repeat(32) }]
    const forged = { time: new Date().toISOString(), heads, retired: [] }
    const put = (jws: string) =>
      log.db.asOwner(`insert into audit_checkpoints (kind, jws) values ('standing', $1)`, [jws])
    await put('garbage')
    await put(first?.jws ?? '')
    await put(await signCheckpoint({ ...other, kid: key.kid }, forged))
    const file = await log.evidence()
    expect(await verified(file, [key])).to.deep.include({ faults: [], checkpoints: 2 })
    expect(at(endOf(linesOf(file)), 'left_out')).to.equal(3)
  })

  it('has checkpoints of an earlier key where that is given, and is verified with both', async () => {
    await fillLog(log.db, 6)
    await log.sign(other)
    await fillLog(log.db, 6)
    await log.sign()
    const from = await log.moment()
    const without = await log.evidence()
    expect(await verified(without, [key])).to.deep.include({ faults: [], checkpoints: 1, after_checkpoint: 0 })
    expect(at(endOf(linesOf(without)), 'left_out')).to.equal(1)
    const both = await log.evidence({}, [other])
    expect(await verified(both, [key, other])).to.deep.include({ faults: [], checkpoints: 2 })
    expect(refusal(both, [key, other])).to.equal(null)
    expect((await verified(both, [key])).faults).to.deep.equal([
      { kind: 'line', line: 8, why: `the checkpoint is signed with the key ${other.kid}, which was not given` },
    ])
    expect(refusal(both, [key])).to.include('another key')
    expect((await verified(both, [other])).faults.map(({ kind }) => kind)).to.include('file')
    // no checkpoint before this period is known to be one
    await log.db.asOwner('delete from audit_checkpoints where id = (select max(id) from audit_checkpoints)')
    expect(await verified(await log.evidence({ from }), [key])).to.deep.include({
      faults: [],
      entries: 12,
      in_period: 0,
    })
  })

  it('names an altered, a missing and an inserted entry, a misplaced checkpoint and a broken signature', async () => {
    await log.busyLog()
    const lines = linesOf(await log.evidence())
    const indexes = lines.flatMap((line, i) => (typeOf(line) === 'entry' ? [i] : []))
    const checkpoint = lines.findIndex((line) => typeOf(line) === 'checkpoint')
    const [i = 0] = indexes.slice(4)
    const [, writer, seq, id] = /"text":"\[(\d+), (\d+), (\d+)/.exec(lines[i] ?? '') ?? []
    const place = { writer, seq, id }
    const faultsOf = async (changed: readonly string[]) => (await verified(fileOf(changed), [key])).faults
    const bytes = { kind: 'file', why: 'does not hold what was signed: a byte was changed' }

    const altered = await faultsOf(lines.with(i, (lines[i] ?? '').replace('editor', 'viewer')))
    expect(altered).to.deep.equal([{ kind: 'altered', ...place }, bytes])
    const missing = await faultsOf(lines.toSpliced(i, 1))
    expect(missing[0]).to.deep.equal({ kind: 'missing', writer, seq, last: seq, id: null })
    const inserted = await faultsOf(lines.toSpliced(i, 0, lines[i] ?? ''))
    expect(inserted[0]).to.deep.equal({ kind: 'inserted', ...place })
    const early = await faultsOf(lines.toSpliced(checkpoint, 1).toSpliced(i, 0, lines[checkpoint] ?? ''))
    expect(early.map(({ kind }) => kind)).to.include('missing')
    const spoilt = await faultsOf(lines.with(checkpoint, (lines[checkpoint] ?? '').replace(/.{4}"\}$/, 'AAAA"}')))
    expect(spoilt[0]).to.deep.equal({
      kind: 'line',
      line: checkpoint + 1,
      why: 'the checkpoint has no valid signature',
    })
    const unsigned = await faultsOf(lines.with(lines.length - 1, (lines.at(-1) ?? '').replace(/.{4}"\}$/, 'AAAA"}')))
    expect(unsigned).to.deep.equal([{ kind: 'file', why: 'has no valid signature' }])
    // the last letter of a signature has four bits that stand for nothing
    const twin = (lines.at(-1) ?? '').replace(/[\w-](?="\}$)/, (letter) => LETTERS[LETTERS.indexOf(letter) + 1] ?? '')
    expect(await faultsOf(lines.with(lines.length - 1, twin))).to.deep.equal(unsigned)
    expect(refusal(fileOf(lines.with(lines.length - 1, twin)), [key])).to.include('one form')
    expect(await faultsOf(lines.slice(0, -1))).to.deep.equal([{ kind: 'file', why: 'has no end: it broke off' }])
    const keyless = (lines[0] ?? '').replace(/"x":"[^"]+"/, '"x":"AAAA"')
    const own = await verified(fileOf(lines.with(0, keyless)), [])
    expect(own.faults[0]).to.deep.equal({ kind: 'line', line: 1, why: 'names no key' })
    const newer = fileOf(lines.with(0, (lines[0] ?? '').replace('"version":1', '"version":2')))
    expect((await verified(newer, [key])).faults[0]).to.deep.equal({
      kind: 'line',
      line: 1,
      why: 'is of version 2, which this program does not know',
    })
    expect((await verified(Buffer.from('no evidence'), [])).faults.map(({ kind }) => kind)).to.include('line')
  })
})
