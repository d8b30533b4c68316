import { generateKeyPairSync, type KeyObject } from 'node:crypto'

import { Client } from 'pg'

import { publicKeyOf } from '../../src/audit/signed-statement.js'
import { takeCheckpoint } from '../../src/audit/take-checkpoint.js'
import { verifyEvidence, type EvidenceFault } from '../../src/audit/verify-evidence.js'
import { writeEvidence } from '../../src/audit/write-evidence.js'
import { AUDIT_READER } from '../../src/database/decision-log.js'
import { openPool } from '../../src/database/pool.js'
import { testDatabase } from './database.js'
import { checkEvidence } from './evidence-verifier.js'
import { fillLog } from './fill-log.js'
import { at, textAt } from './json.js'
import { until } from './until.js'

export interface TestKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export const newKey = async (): Promise<TestKey> => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid: (await publicKeyOf(publicKey))[0], privateKey, publicKey }
}

export interface Period {
  readonly from?: string | null
  readonly to?: string | null
}

/** A database of its own whose log is signed with a key, and its evidence. Close it. */
export const evidenceLog = async (key: TestKey) => {
  const db = await testDatabase()
  const pool = openPool({ connection: db.service, size: 2, deadlineMs: 30_000 })
  const sign = (by = key) => takeCheckpoint(pool, by)
  const clock = async () => {
    const [row] = await db.asOwner<{ now: number }>('select extract(epoch from clock_timestamp())::float8 as now')
    return (row?.now ?? 0) * 1_000
  }
  /** A moment between what was written and what will be. */
  const moment = async (): Promise<string> => {
    const now = Math.ceil(Math.max(await clock(), Date.now())) + 1
    await until('the moment has passed', async () => (await clock()) > now + 1 && Date.now() > now + 1)
    return new Date(now).toISOString()
  }
  const evidence = async ({ from = null, to = null }: Period = {}, earlier: readonly TestKey[] = []) => {
    const reader = { id: '1', enter: { text: 'select enter($1, null)', values: [AUDIT_READER] } }
    const keys = new Map([key, ...earlier].map(({ kid, publicKey }) => [kid, publicKey]))
    const options = { from, to, issuer: 'urn:linkgate:test', key, keys, madeFor: 'a test' }
    let text = ''
    for await (const part of pool.parts(reader, (client) => writeEvidence(client, options))) text += part
    return Buffer.from(text)
  }
  /** 48 entries in four chains, four checkpoints; one transaction is open while others commit and are signed. */
  const busyLog = async (): Promise<{ readonly from: string; readonly to: string }> => {
    const late = new Client(db.service)
    await late.connect()
    const entry = `insert into decisions (request_id, revision, resource_type, rule, effect)
      values ('late', 1, 'link', E'\\u202e "R5"', 'deny')`
    try {
      await fillLog(db, 12, { chains: 3 })
      await sign()
      const from = await moment()
      await late.query('begin')
      await late.query(`select enter('audit_writer', null)`)
      await late.query(entry)
      await fillLog(db, 9, { chains: 2 })
      await sign()
      await late.query(entry)
      await fillLog(db, 9, { chains: 3 })
      await sign()
      await late.query('commit')
      await fillLog(db, 6, { chains: 3 })
      const to = await moment()
      await fillLog(db, 3, { chains: 1 })
      await sign()
      await fillLog(db, 7, { chains: 2 })
      return { from, to }
    } finally {
      await late.end()
    }
  }
  return { db, sign, moment, evidence, busyLog, close: () => pool.close() }
}
export type EvidenceLog = Awaited<ReturnType<typeof evidenceLog>>

/** What our verifier says of a file. */
export const verified = async (file: Buffer, pinned: readonly TestKey[]) => {
  const faults: EvidenceFault[] = []
  async function* chunks() {
    for (let from = 0; from < file.length; from += 4_000) yield file.subarray(from, from + 4_000)
  }
  const keys = new Map(pinned.map(({ kid, publicKey }) => [kid, publicKey]))
  const verdict = await verifyEvidence(chunks(), { pinned: keys, onFault: (fault) => faults.push(fault) })
  return { ...verdict, faults }
}

/** Why the second verifier refuses a file; null where it does not. */
export const refusal = (file: Buffer, pinned: readonly TestKey[]): string | null => {
  try {
    checkEvidence(
      file,
      pinned.map(({ publicKey }) => publicKey),
    )
    return null
  } catch (error) {
    return String(error)
  }
}

export const linesOf = (file: Buffer): readonly string[] => file.toString().split('\n').slice(0, -1)
export const fileOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''))
export const typeOf = (line: string): unknown => at(JSON.parse(line), 'type')

/** What the last line signs. */
export const endOf = (lines: readonly string[]): unknown => {
  const [, payload = ''] = textAt(JSON.parse(lines.at(-1) ?? ''), 'jws').split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}
