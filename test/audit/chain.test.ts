import { expect } from 'chai'

import { createChainWalk, type ChainFault } from '../../src/audit/chain-walk.js'
import { readCheckpoint, signCheckpoint, type ChainHead, type Checkpoint } from '../../src/audit/checkpoint.js'
import { entryHash, toChainEntry, type StoredEntry } from '../../src/audit/entry-hash.js'
import { expireMonths } from '../../src/audit/expire-months.js'
import { keepLog } from '../../src/audit/keep-log.js'
import { publicKeyOf } from '../../src/audit/signed-statement.js'
import { takeCheckpoint } from '../../src/audit/take-checkpoint.js'
import { verifyLog, type LogFault } from '../../src/audit/verify-log.js'
import { openPool } from '../../src/database/pool.js'
import type { Database } from '../../src/database/database.js'
import { sqlState } from '../../src/database/errors.js'
import { deferred } from '../../src/domain/deferred.js'
import { generateKeyPairSync } from 'node:crypto'
import { Client } from 'pg'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { fillLog as fill } from '../support/fill-log.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { random } from '../support/random.js'
import { within } from '../support/until.js'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

describe('the chains of the decision log', () => {
  let db: TestDatabase
  let pool: Database
  let keys: ReadonlyMap<string, import('node:crypto').KeyObject>
  let kid: string

  before(async () => {
    const entry = await publicKeyOf(publicKey)
    kid = entry[0]
    keys = new Map([entry])
  })
  beforeEach(async () => {
    db = await testDatabase()
    pool = openPool({ connection: db.service, size: 2, deadlineMs: 30_000 })
  })
  afterEach(() => pool.close())

  const verify = async () => {
    const faults: LogFault[] = []
    const verdict = await verifyLog(pool, { keys, onFault: (fault) => faults.push(fault) })
    return { ...verdict, faults }
  }
  /** SQL as somebody with the whole database in hand would run it: the triggers see nothing. */
  const tamper = async (...statements: readonly string[]) => {
    for (const statement of statements) await db.asOwner(statement)
  }
  const stored = async () =>
    db.asOwner<{ id: string; writer: number; seq: string }>('select id, writer, seq from decisions order by id')

  it('hold every entry once, however many transactions wrote at once', async () => {
    await fill(db, 50, { chains: 4 })
    expect(await verify()).to.deep.include({ entries: 50, chains: 4, faults: [] })
    const [places] = await db.asOwner(
      `select count(*)::int as entries, count(distinct (writer, seq))::int as places, count(distinct id)::int as ids
         from decisions`,
    )
    expect(places).to.deep.equal({ entries: 50, places: 50, ids: 50 })
  })

  it('have the same hashes here as in the database, whatever an entry holds', async () => {
    await db.asOwner(
      `insert into users (email, role, name)
       values ('somebody@example.com', 'viewer', E'\\u2028 "quoted" \\\\ \\x1b[31m')`,
    )
    await fill(db, 20)
    const { faults, entries } = await verify()
    expect({ faults, entries }).to.deep.equal({ faults: [], entries: 21 })
  })

  it('let no writer choose the place of an entry', async () => {
    for (const column of ['id', 'time', 'writer', 'seq', 'previous', 'hash', 'kind', 'change']) {
      const tried = pool.flush([
        { text: `select enter('audit_writer', null)` },
        {
          text: `insert into decisions (${column}, request_id, revision, resource_type) values (null, 'x', 1, 'link')`,
        },
      ])
      expect(
        await tried.then(
          () => null,
          (error: unknown) => error,
        ),
        column,
      ).to.have.property('code', '42501')
    }
  })

  it('let no writer choose where a chain ends', async () => {
    await fill(db, 6)
    const ends = await db.asOwner<{ ctid: string }>('select ctid::text from audit_chains order by writer')
    expect(ends).to.have.length(3)
    for (const { ctid } of [...ends, { ctid: '(0,1)' }, { ctid: '(4000000,7)' }]) {
      const entry = {
        text: `insert into decisions (request_id, revision, resource_type) values ('x', 1, 'link')`,
      }
      const point = { text: `select set_config('app.chain_end', $1, true)`, values: [ctid] }
      await pool.flush([{ text: `select enter('audit_writer', null)` }, point, entry, point, entry])
    }
    expect(await verify()).to.deep.include({ entries: 6 + 2 * 5, faults: [] })
    const lengths = await db.asOwner<{ seq: string }>('select seq from audit_chains order by writer')
    expect(lengths.map(({ seq }) => seq)).to.deep.equal(['12', '2', '2'])
  })

  it('take 20,000 entries of one transaction at the price of single ones', async () => {
    const writer = new Client(db.service)
    await writer.connect()
    /** the pages with ends of chains that this session has read */
    const pagesRead = async () => {
      const { rows } = await writer.query<{ pages: string }>(
        `select sum(pg_stat_get_xact_blocks_fetched(oid)) as pages from pg_class
          where oid = 'audit_chains'::regclass
             or oid in (select indexrelid from pg_index where indrelid = 'audit_chains'::regclass)`,
      )
      return Number(rows[0]?.pages)
    }
    const pagesPerEntry = async (entries: number) => {
      await writer.query('begin')
      await writer.query(`select enter('audit_writer', null)`)
      const before = await pagesRead()
      await writer.query(
        `insert into decisions (request_id, revision, resource_type) select 'x', 1, 'link' from generate_series(1, $1)`,
        [entries],
      )
      const pages = (await pagesRead()) - before
      await writer.query('commit')
      return pages / entries
    }
    const [few, many] = [await pagesPerEntry(2_000), await pagesPerEntry(20_000)]
    await writer.end()
    expect(few).to.be.greaterThan(0)
    // if each entry looked through the ends before it, it would be ten times as many
    expect(many).to.be.below(few * 2)
    expect(await verify()).to.deep.include({ entries: 22_000, chains: 1, faults: [] })
  })

  it('name an altered, a removed, an inserted and a moved entry', async () => {
    await fill(db, 30)
    const entries = await stored()
    const [, , third, fourth] = entries.filter(({ writer }) => writer === entries[0]?.writer)
    if (!third || !fourth) throw new Error('too few entries')
    const copy = async (work: () => Promise<void>) => {
      await tamper('create table kept as table decisions')
      await work()
      const { faults } = await verify()
      await tamper(
        'alter table decisions disable trigger chain_decision',
        'truncate decisions',
        'insert into decisions select * from kept',
        'drop table kept',
        'alter table decisions enable trigger chain_decision',
      )
      return faults
    }
    expect(await copy(() => tamper(`update decisions set effect = 'allow' where id = ${third.id}`))).to.deep.equal([
      { kind: 'altered', writer: String(third.writer), seq: third.seq, id: third.id },
    ])
    expect(await copy(() => tamper(`delete from decisions where id = ${third.id}`))).to.deep.equal([
      { kind: 'missing', writer: String(third.writer), seq: third.seq, last: third.seq, id: null },
    ])
    expect(
      await copy(() =>
        tamper(
          'alter table decisions disable trigger chain_decision',
          `insert into decisions select (jsonb_populate_record(d, '{"id": 1000000, "rule": "R3"}')).*
             from decisions d where id = ${third.id}`,
          'alter table decisions enable trigger chain_decision',
        ),
      ),
    ).to.deep.include({ kind: 'altered', writer: String(third.writer), seq: third.seq, id: '1000000' })
    const moved = await copy(() =>
      tamper(
        `update decisions set id = case id when ${third.id} then ${fourth.id} else ${third.id} end
          where id in (${third.id}, ${fourth.id})`,
      ),
    )
    expect(moved.map((fault) => (fault.kind === 'checkpoint' ? null : fault.id)).toSorted()).to.deep.equal(
      [third.id, fourth.id].toSorted(),
    )
    expect((await verify()).faults).to.deep.equal([])
  })

  it('name entries that are missing at the end, and whole missing chains', async () => {
    await fill(db, 30)
    await takeCheckpoint(pool, { kid, privateKey, publicKey })
    await tamper('delete from decisions where writer = 2 and seq = (select max(seq) from decisions where writer = 2)')
    expect((await verify()).faults).to.deep.equal([{ kind: 'missing', writer: '2', seq: '10', last: '10', id: null }])
    // and with what the table of chains says mended, too: the checkpoint knows
    await tamper(
      `update audit_chains set (seq, hash) =
         (select seq, hash from decisions d where d.writer = 2 order by seq desc limit 1) where writer = 2`,
    )
    expect((await verify()).faults).to.deep.equal([{ kind: 'missing', writer: '2', seq: '10', last: '10', id: null }])
    await tamper('delete from decisions where writer = 3', 'delete from audit_chains where writer = 3')
    expect((await verify()).faults).to.deep.include({ kind: 'missing', writer: '3', seq: '1', last: '10', id: null })
  })

  it('contradict the checkpoint where a whole chain was rewritten', async () => {
    await fill(db, 12, { chains: 1 })
    await takeCheckpoint(pool, { kid, privateKey, publicKey })
    await tamper(
      `create function rewrite() returns void language plpgsql as $$
        declare e decisions; prior bytea := decode(repeat('00', 32), 'hex');
        begin
          for e in select * from decisions order by seq loop
            if e.seq = 5 then e.rule := 'R3'; end if;
            update decisions set rule = e.rule, previous = prior, hash = sha256(prior || convert_to(json_build_array(
              e.writer, e.seq, e.id, extract(epoch from e.time), e.kind, e.request_id, e.revision, e.layer,
              e.subject_id, e.subject_role, e.token_id, e.network, e.action, e.resource_type, e.resource_code,
              e.relation, e.effect, e.rule, e.row_priority, e.status, e.change)::text, 'UTF8'))
             where id = e.id returning hash into prior;
          end loop;
          update audit_chains set hash = prior;
        end $$`,
      'select rewrite()',
    )
    const { faults } = await verify()
    expect(faults).to.have.length(1)
    expect(faults[0]).to.deep.include({ kind: 'altered', seq: '12' })
    // the service goes on signing what it finds, the same entries and more: that makes nothing true
    await takeCheckpoint(pool, { kid, privateKey, publicKey })
    expect((await verify()).faults).to.deep.equal(faults)
    await fill(db, 1)
    await takeCheckpoint(pool, { kid, privateKey, publicKey })
    expect((await verify()).faults).to.deep.equal(faults)
  })

  it('report a checkpoint that was changed or signed with another key', async () => {
    await fill(db, 6)
    await takeCheckpoint(pool, { kid, privateKey, publicKey })
    expect((await verify()).checkpoint).to.be.a('string')
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const [otherKid] = await publicKeyOf(other.publicKey)
    await fill(db, 1)
    await takeCheckpoint(pool, { kid: otherKid, ...other })
    expect((await verify()).faults).to.deep.equal([
      { kind: 'checkpoint', id: '2', why: `is signed with the key ${otherKid}, which was not given` },
    ])
    await fill(db, 1)
    await takeCheckpoint(pool, { kid, ...other })
    expect((await verify()).faults).to.deep.equal([
      { kind: 'checkpoint', id: '2', why: `is signed with the key ${otherKid}, which was not given` },
      { kind: 'checkpoint', id: '3', why: 'has no valid signature' },
    ])
  })

  it('are verified in parts, also many checkpoints, because a request waits for a part only so long', async () => {
    await fill(db, 10)
    await takeCheckpoint(pool, { kid, privateKey, publicKey })
    await tamper(
      'insert into audit_checkpoints (kind, jws) select kind, jws from audit_checkpoints, generate_series(1, 1200)',
    )
    const parts: number[] = []
    const verdict = await verifyLog(pool, {
      keys,
      onFault: (fault) => expect.fail(JSON.stringify(fault)),
      onProgress: ({ done }) => parts.push(done),
    })
    expect(verdict.entries).to.equal(10)
    expect(parts.filter((done) => done === 0).length).to.be.greaterThan(2)
  })

  it('are signed on beside rows that somebody put among the checkpoints, which are named and passed over', async () => {
    await fill(db, 3, { chains: 1 })
    await takeCheckpoint(pool, { kid, privateKey, publicKey })
    const [signed] = await db.asOwner<{ jws: string }>('select jws from audit_checkpoints')
    const forge = (kind: string, jws: string) =>
      pool.flush([
        { text: `select enter('audit_writer', null)` },
        { text: 'insert into audit_checkpoints (kind, jws) values ($1, $2)', values: [kind, jws] },
      ])
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const heads = [{ writer: '1', seq: '999', hash: 'ab'.repeat(32) }]
    const future = { time: '2999-01-01T00:00:00.000Z', heads, retired: [] }
    await forge('standing', 'garbage')
    await forge('expiry', `${'a'.repeat(50)}.b.c`)
    await forge('standing', await signCheckpoint({ kid, ...other }, future))
    // an older one that is as valid as it was proves nothing new
    await fill(db, 3, { chains: 1 })
    const taken = await takeCheckpoint(pool, { kid, privateKey, publicKey })
    expect(taken?.heads.map(({ seq }) => seq)).to.deep.equal(['6'])
    await forge('standing', signed?.jws ?? '')
    expect(await takeCheckpoint(pool, { kid, privateKey, publicKey }), 'nothing is new').to.equal(null)
    const verdict = await verify()
    expect(verdict.checkpoint).to.equal(taken?.time)
    expect(verdict.faults.map((fault) => (fault.kind === 'checkpoint' ? fault.id : null))).to.deep.equal([
      '2',
      '3',
      '4',
    ])
    for (const column of ['id', 'time'])
      expect(
        await pool
          .flush([
            { text: `select enter('audit_writer', null)` },
            { text: `insert into audit_checkpoints (${column}, kind, jws) values (default, 'standing', 'x')` },
          ])
          .then(
            () => null,
            (error: unknown) => error,
          ),
        column,
      ).to.have.property('code', '42501')
  })

  it('retire no range that ends before it begins: a verifier would pass it for ever', async () => {
    const hash = '0'.repeat(64)
    const ranged = (first: string, last: string) => {
      const retired = [{ writer: '1', first, last, previous: hash, hash }]
      return signCheckpoint({ kid, privateKey, publicKey }, { time: '2026-11-01T00:00:00.000Z', heads: [], retired })
    }
    expect(await readCheckpoint(await ranged('1', '1'), keys)).to.be.an('object')
    expect(await readCheckpoint(await ranged('1', '0'), keys)).to.be.a('string')
  })

  it('have times that do not run backwards: a clock that was put back begins another chain', async () => {
    await fill(db, 3, { chains: 1 })
    await fill(db, 3, { chains: 1, time: `now() - interval '1 hour'` })
    await fill(db, 3, { chains: 1 })
    const [found] = await db.asOwner(
      `select count(*)::int as backwards from (
         select time < lag(time) over (partition by writer order by seq) as back from decisions) d where back`,
    )
    expect(found).to.deep.equal({ backwards: 0 })
    expect(await verify()).to.deep.include({ entries: 9, chains: 2, faults: [] })
  })

  it('are signed by one process, and only where something is new', async () => {
    await fill(db, 3)
    const taken = await Promise.all([
      takeCheckpoint(pool, { kid, privateKey, publicKey }),
      takeCheckpoint(pool, { kid, privateKey, publicKey }),
    ])
    expect(taken.filter((checkpoint) => checkpoint !== null)).to.have.length(1)
    expect(await takeCheckpoint(pool, { kid, privateKey, publicKey })).to.equal(null)
    await fill(db, 1)
    expect(await takeCheckpoint(pool, { kid, privateKey, publicKey }, 60)).to.equal(null)
    expect(await takeCheckpoint(pool, { kid, privateKey, publicKey })).not.to.equal(null)
  })

  it('are signed also while the partitions of the next months cannot be added', async () => {
    await fill(db, 1)
    await db.asOwner(`revoke execute on function add_months from ${db.service.user}`)
    const signed = deferred<Checkpoint>()
    const faults: unknown[] = []
    const keeper = keepLog({
      database: pool,
      key: { kid, privateKey, publicKey },
      onCheckpoint: signed.resolve,
      onFault: (error) => faults.push(error),
    })
    try {
      expect((await within('a checkpoint', signed.promise)).heads).to.have.length(1)
      expect(faults.map(sqlState)).to.deep.equal(['42501'])
    } finally {
      await keeper.stop()
    }
  })

  it('name each of 200 random manipulations', async () => {
    const { integer, pick } = random(20_261_121)
    const source = new Map<string, StoredEntry[]>()
    let id = 0
    for (let written = 0; written < 400; written += 1) {
      const writer = String(integer(1, 4))
      const chain = source.get(writer) ?? []
      source.set(writer, chain)
      const entry: StoredEntry = {
        writer,
        seq: String(chain.length + 1),
        id: String((id += 1)),
        time: `${1_763_000_000 + id}.000001`,
        kind: 'decision',
        request_id: `request-${id}`,
        revision: '1',
        layer: 'object',
        subject_id: String(integer(1, 9)),
        subject_role: 'editor',
        token_id: null,
        network: null,
        action: 'link:update',
        resource_type: 'link',
        resource_code: `code-${id}`,
        relation: 'own',
        effect: 'allow',
        rule: 'R5',
        row_priority: '510',
        status: '200',
        change: null,
        previous: chain.at(-1)?.hash ?? '0'.repeat(64),
        hash: '',
      }
      chain.push({ ...entry, hash: entryHash(toChainEntry(entry)) })
    }
    const log = [...source.values()].flat().toSorted((a, b) => Number(a.id) - Number(b.id))
    const heads: ChainHead[] = [...source].map(([writer, chain]) => ({
      writer,
      seq: String(chain.length),
      hash: chain.at(-1)?.hash ?? '',
    }))
    const walk = (entries: readonly StoredEntry[]): ChainFault[] => {
      const faults: ChainFault[] = []
      const chains = createChainWalk((fault) => faults.push(fault))
      for (const entry of entries) chains.take(toChainEntry(entry))
      chains.stand(heads)
      return faults
    }
    expect(walk(log)).to.deep.equal([])
    const at = () => integer(0, log.length - 1)
    const rehashed = (entry: StoredEntry): StoredEntry => ({
      ...entry,
      hash: entryHash(toChainEntry(entry)),
    })
    const found = { altered: 0, removed: 0, inserted: 0, reordered: 0 }
    for (let tried = 0; tried < 200; tried += 1) {
      const i = at()
      const victim = log[i]
      if (!victim) throw new Error('no entry')
      const what = pick(['altered', 'removed', 'inserted', 'reordered'] as const)
      const changed = [...log]
      const named = (faults: readonly ChainFault[]) => faults.map((fault) => fault.id)
      if (what === 'altered') {
        const field = pick([
          'effect',
          'rule',
          'subject_id',
          'time',
          'status',
          'revision',
          'previous',
          'hash',
          'network',
        ] as const)
        const value = field === 'previous' || field === 'hash' ? 'ab'.repeat(32) : '77'
        const forged = { ...victim, [field]: value }
        // half of them by somebody who knows how to hash
        changed[i] = field !== 'hash' && integer(0, 1) === 1 ? rehashed(forged) : forged
        expect(named(walk(changed)), `${tried}: altered ${field} of ${victim.id}`).to.include(victim.id)
      } else if (what === 'removed') {
        const count = integer(1, 5)
        const gone = changed.splice(i, count)
        const faults = walk(changed).filter(({ kind }) => kind === 'missing')
        for (const { writer, seq } of gone) {
          expect(
            faults.some(
              (fault) =>
                fault.writer === writer &&
                BigInt(fault.seq) <= BigInt(seq) &&
                BigInt(seq) <= BigInt(fault.last ?? fault.seq),
            ),
            `${tried}: removed ${writer}/${seq}`,
          ).to.equal(true)
        }
      } else if (what === 'inserted') {
        const forged = {
          ...victim,
          id: '9999',
          rule: 'R3',
          ...(integer(0, 1) === 1 ? { seq: String(integer(1, 200)) } : {}),
        }
        changed.splice(at(), 0, integer(0, 1) === 1 ? rehashed(forged) : forged)
        expect(named(walk(changed)), `${tried}: inserted beside ${victim.id}`).to.include('9999')
      } else {
        const other = log[(i + integer(1, 20)) % log.length]
        if (!other) throw new Error('no entry')
        changed[i] = { ...other, id: victim.id }
        changed[log.indexOf(other)] = { ...victim, id: other.id }
        expect(named(walk(changed)), `${tried}: reordered ${victim.id} and ${other.id}`).to.include.members([
          victim.id,
          other.id,
        ])
      }
      found[what] += 1
    }
    expect(Math.min(...Object.values(found))).to.be.greaterThan(20)
  })

  it('are read on behind retired entries only if what stands before them is what they followed', () => {
    const hash = (seq: number) => seq.toString(16).padStart(64, '0')
    const chains = (rewritten: string | null) => {
      const faults: ChainFault[] = []
      const walk = createChainWalk((fault) => faults.push(fault))
      walk.retire([{ writer: '1', first: '2', last: '4', previous: hash(1), hash: hash(4) }])
      walk.startAt([{ writer: '1', seq: '1', hash: rewritten ?? hash(1) }])
      walk.stand([{ writer: '1', seq: '4', hash: hash(4) }])
      return faults
    }
    expect(chains(null)).to.deep.equal([])
    expect(chains(hash(9))).to.deep.equal([{ kind: 'missing', writer: '1', seq: '2', last: '4', id: null }])
  })

  it('still verify when months are retired, and report what is missing besides', async () => {
    // two months that are over, with a clock that once stood wrong: the older month's entries are later ones of the
    // same chains
    await tamper(
      'create table decisions_2026_01 (like decisions including defaults)',
      `alter table decisions attach partition decisions_2026_01
         for values from ('2026-01-01T00:00:00Z') to ('2026-02-01T00:00:00Z')`,
      'create table decisions_2026_02 (like decisions including defaults)',
      `alter table decisions attach partition decisions_2026_02
         for values from ('2026-02-01T00:00:00Z') to ('2026-03-01T00:00:00Z')`,
    )
    await fill(db, 10, { time: `timestamptz '2026-01-15T00:00:00Z'` })
    await fill(db, 10, { time: `timestamptz '2026-02-15T00:00:00Z'` })
    await fill(db, 10, { time: `timestamptz '2026-01-20T00:00:00Z'` })
    await fill(db, 10)
    await takeCheckpoint(pool, { kid, privateKey, publicKey })
    expect((await verify()).faults).to.deep.equal([])
    const owner = new Client(db.owner)
    await owner.connect()
    try {
      const options = { before: '2026-02', key: { kid, privateKey, publicKey } }
      expect(await expireMonths(owner, { ...options, dryRun: true })).to.deep.equal([{ month: '2026-01', entries: 20 }])
      expect((await verify()).entries).to.equal(40)
      expect(await expireMonths(owner, { ...options, dryRun: false })).to.deep.equal([
        { month: '2026-01', entries: 20 },
      ])
      // what was retired is an entry itself
      expect(await verify()).to.deep.include({ entries: 21, retired: 20, faults: [] })
      await fill(db, 5)
      expect((await verify()).faults).to.deep.equal([])
      expect(await expireMonths(owner, { ...options, before: '2026-03', dryRun: false })).to.deep.equal([
        { month: '2026-02', entries: 10 },
      ])
      expect(await verify()).to.deep.include({ entries: 17, retired: 30, faults: [] })
    } finally {
      await owner.end()
    }
    const [last] = await db.asOwner<{ id: string }>('select id from decisions order by id desc limit 1')
    await tamper(`delete from decisions where id = ${last?.id ?? '0'}`)
    expect((await verify()).faults).to.have.length(1)
    await tamper(`delete from audit_checkpoints where kind = 'expiry'`)
    expect((await verify()).faults.length).to.be.greaterThan(3)
  })

  it('of a month that did not exist when they were written are retired, too', async () => {
    await fill(db, 10, { time: `timestamptz '2026-01-15T00:00:00Z'` })
    await fill(db, 10, { time: `timestamptz '2026-02-15T00:00:00Z'` })
    await fill(db, 10)
    const owner = new Client(db.owner)
    await owner.connect()
    try {
      const options = { before: '2026-02', key: { kid, privateKey, publicKey } }
      expect(await expireMonths(owner, { ...options, dryRun: true })).to.deep.equal([{ month: '2026-01', entries: 10 }])
      expect((await verify()).entries).to.equal(30)
      expect(await expireMonths(owner, { ...options, dryRun: false })).to.deep.equal([
        { month: '2026-01', entries: 10 },
      ])
    } finally {
      await owner.end()
    }
    expect(await verify()).to.deep.include({ entries: 21, retired: 10, faults: [] })
  })

  it('are retired beside a reader and a writer, who wait for a moment only', async () => {
    await tamper(
      'create table decisions_2026_01 (like decisions including defaults)',
      `alter table decisions attach partition decisions_2026_01
         for values from ('2026-01-01T00:00:00Z') to ('2026-02-01T00:00:00Z')`,
    )
    await fill(db, 10, { time: `timestamptz '2026-01-15T00:00:00Z'` })
    await fill(db, 10)
    const [owner, reader] = [new Client(db.owner), new Client(db.owner)]
    await owner.connect()
    await reader.connect()
    try {
      await reader.query('begin')
      await reader.query('select from decisions limit 1')
      const expiring = expireMonths(owner, { before: '2026-02', key: { kid, privateKey, publicKey }, dryRun: false })
      await lockWaiters(db.asOwner, 1)
      await within('a new entry, beside a reader', fill(db, 1))
      await reader.query('commit')
      expect(await expiring).to.deep.equal([{ month: '2026-01', entries: 10 }])
    } finally {
      await reader.end()
      await owner.end()
    }
    expect(await verify()).to.deep.include({ entries: 12, retired: 10, faults: [] })
  })
})
