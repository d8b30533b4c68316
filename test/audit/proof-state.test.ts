import { expect } from 'chai'
import { Client } from 'pg'

import { expireMonths } from '../../src/audit/expire-months.js'
import { PROOF_STATEMENTS, proofState, type StoredProof } from '../../src/audit/proof-state.js'
import { evidenceLog, newKey, type EvidenceLog, type TestKey } from '../support/evidence.js'
import { fillLog } from '../support/fill-log.js'

describe('the state of the proof', () => {
  let key: TestKey
  let log: EvidenceLog
  beforeEach(async () => {
    key = await newKey()
    log = await evidenceLog(key)
  })
  afterEach(() => log.close())

  const state = async () => {
    const [chains, checkpoints, expiries] = PROOF_STATEMENTS
    const stored: StoredProof = {
      chains: await log.db.asOwner<StoredProof['chains'][number] & Record<string, unknown>>(chains),
      checkpoints: await log.db.asOwner<StoredProof['checkpoints'][number] & Record<string, unknown>>(checkpoints),
      expiries: await log.db.asOwner<StoredProof['expiries'][number] & Record<string, unknown>>(expiries),
    }
    return proofState(stored, new Map([[key.kid, key.publicKey]]))
  }

  it('counts what no checkpoint covers yet', async () => {
    await fillLog(log.db, 12)
    expect(await state()).to.deep.include({ entries: 12, checkpoint: null, since_checkpoint: 12, checkpoints: [] })
    const signed = await log.sign()
    await fillLog(log.db, 5)
    const { chains, ...after } = await state()
    expect(after).to.deep.include({ entries: 17, checkpoint: signed?.time, since_checkpoint: 5 })
    expect(chains.map(({ entries }) => entries).reduce((a, b) => a + b)).to.equal(17)
    expect(chains.every(({ newest_at: at }) => Date.parse(at ?? '') <= Date.now() + 60_000)).to.equal(true)
  })

  it('names the key of each checkpoint, and which are not valid', async () => {
    await fillLog(log.db, 3)
    const signed = await log.sign()
    const old = key
    key = await newKey()
    expect((await state()).checkpoints).to.deep.equal([
      {
        id: '1',
        kind: 'standing',
        time: (await state()).checkpoints[0]?.time,
        key: old.kid,
        valid: false,
        why: `is signed with the key ${old.kid}, which was not given`,
      },
    ])
    key = old
    expect((await state()).checkpoints[0]).to.deep.include({ key: old.kid, valid: true, time: signed?.time, why: null })
  })

  it('lists retired months, and counts their entries apart', async () => {
    for (const statement of [
      'create table decisions_2026_01 (like decisions including defaults)',
      `alter table decisions attach partition decisions_2026_01
         for values from ('2026-01-01T00:00:00Z') to ('2026-02-01T00:00:00Z')`,
    ])
      await log.db.asOwner(statement)
    await fillLog(log.db, 10, { time: `timestamptz '2026-01-15T00:00:00Z'` })
    await fillLog(log.db, 6)
    const owner = new Client(log.db.owner)
    await owner.connect()
    await expireMonths(owner, { before: '2026-02', key, dryRun: false }).finally(() => owner.end())
    const { retired, entries, since_checkpoint: since, checkpoints } = await state()
    expect(retired).to.deep.equal({ entries: 10, months: [{ month: '2026-01', entries: 10 }] })
    // what was retired is an entry itself, and signed at once
    expect({ entries, since }).to.deep.equal({ entries: 7, since: 0 })
    expect(checkpoints[0]).to.deep.include({ kind: 'expiry', valid: true })
  })
})
