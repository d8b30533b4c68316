import { expect } from 'chai'

import { enterChanges } from '../../src/database/change.js'
import type { ChangeForm, Entering } from '../../src/database/change.js'
import type { Statement } from '../../src/database/statement.js'
import { openPool } from '../../src/database/pool.js'
import { testDatabase } from '../support/database.js'
import type { TestDatabase } from '../support/database.js'
import { addLink, addUserWithId, BY_HAND, freshCode } from '../support/records.js'

describe('enter_change', () => {
  let db: TestDatabase

  before(async () => {
    db = await testDatabase()
    await addUserWithId(db, '1', 'editor')
  })

  /** Makes a link as the service does: in one flush, whose isolation level is the session's. */
  const makeLink = async (code: string, isolation: string): Promise<void> => {
    const pool = openPool({
      connection: { ...db.service, options: `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}` },
      size: 1,
      deadlineMs: 5_000,
    })
    try {
      expect(await pool.run({ text: 'show transaction_isolation' })).to.deep.equal([
        { transaction_isolation: isolation },
      ])
      const [head] = await pool.run<{ revision: string }>({ text: 'select revision from policy_head' })
      await pool.flush([
        {
          text: 'select enter_change($1, $2, $3, $4, $5, $6, $7, $8)',
          values: ['links_own', '1', head?.revision, BY_HAND, 'editor', null, null, null],
        },
        { text: `insert into links (code, target, owner_id) values ($1, 'https://example.com/', 1)`, values: [code] },
      ])
    } finally {
      await pool.close()
    }
  }
  const stored = async (code: string) => (await db.asOwner('select from links where code = $1', [code])).length

  it('lets a change in that reads each statement anew', async () => {
    const code = freshCode()
    await makeLink(code, 'read committed')
    expect(await stored(code)).to.equal(1)
  })

  // the first two may read after the lock what was so before it; the last does as read committed does, and is in no use
  for (const isolation of ['repeatable read', 'serializable', 'read uncommitted']) {
    it(`refuses a change that is ${isolation}, and nothing is written`, async () => {
      const code = freshCode()
      const refused = await makeLink(code, isolation).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(refused).to.have.property('code', 'LG008')
      expect(await stored(code)).to.equal(0)
    })
  }

  describe('for many', () => {
    /** Enters as the service does for changes of these codes, and sends one statement more. */
    const together = async (
      codes: readonly string[],
      statement: Statement,
      more: Readonly<Record<string, unknown>> = {},
    ) => {
      const pool = openPool({ connection: db.service, size: 1, deadlineMs: 5_000 })
      try {
        const [head] = await pool.run<{ revision: string }>({ text: 'select revision from policy_head' })
        const entering: Entering = {
          role: 'links_own',
          userId: '1',
          revision: Number(head?.revision),
          decision: { ...JSON.parse(BY_HAND), ...more },
          caller: { role: 'editor', signIn: null, issuer: null, subject: null },
        }
        const form: ChangeForm = { name: 'any', one: () => statement, many: () => statement }
        return await pool
          .flush([
            enterChanges(codes.map((code) => ({ code, entering, roleOfMany: 'links_any', form, values: {} }))),
            statement,
          ])
          .then(
            () => 'done',
            (error: unknown) => Object(error).code,
          )
      } finally {
        await pool.close()
      }
    }
    const change = (codes: readonly string[]): Statement => ({
      text: `update links set target = 'https://example.com/changed' where code = any ($1)`,
      values: [codes],
    })
    const changed = async (codes: readonly string[]) =>
      (await db.asOwner(`select from links where code = any ($1) and target like '%changed'`, [codes])).length

    it('lets no link change without a decision of its own', async () => {
      const codes = [await addLink(db, { owner: '1' }), await addLink(db, { owner: null })]
      expect(await together(codes.slice(0, 1), change(codes))).to.equal('LG002')
      expect(
        await together(codes.slice(0, 1), { text: 'delete from links where code = any ($1)', values: [codes] }),
      ).to.equal('LG002')
      expect(
        await together([freshCode()], {
          text: `insert into links (code, target) values ($1, 'https://example.com/')`,
          values: [freshCode()],
        }),
      ).to.equal('LG002')
      expect(await changed(codes)).to.equal(0)
      expect(await together(codes, change(codes))).to.equal('done')
      expect(await changed(codes)).to.equal(2)
    })

    it("records what a decision says, and nothing that is the log's own to say", async () => {
      const code = await addLink(db, { owner: '1' })
      const forged = {
        request_id: 'forged',
        id: 1,
        seq: 1,
        writer: 99,
        time: '2000-01-01',
        kind: 'policy',
        resource_type: 'user',
        network: '192.0.2.0/24',
        change: { what: 'forged' },
        hash: '\\x00',
        previous: '\\x00',
      }
      expect(await together([code], change([code]), forged)).to.equal('done')
      expect(
        await db.asOwner(`
        select kind, resource_type, resource_code as code, network, change, rule, id > 1 as later, time > now() - interval '1 minute' as now, writer < 99 as chained, octet_length(hash) as hash
          from decisions where request_id = 'forged'`),
      ).to.deep.equal([
        {
          kind: 'decision',
          resource_type: 'link',
          code,
          network: null,
          change: null,
          rule: 'R3',
          later: true,
          now: true,
          chained: true,
          hash: 32,
        },
      ])
    })

    it('notes every code that it changed, for whoever announces them; of a link that gets another code, both', async () => {
      const noted = async () =>
        (await db.asOwner<{ code: string }>('delete from changed_links returning code'))
          .map(({ code }) => code)
          .toSorted()
      const codes = [await addLink(db, { owner: '1' }), await addLink(db, { owner: '1' })].toSorted()
      await noted()
      expect(await together(codes, change(codes))).to.equal('done')
      expect(await noted()).to.deep.equal(codes)
      const renamed = freshCode()
      expect(
        await together([renamed], { text: 'update links set code = $2 where code = $1', values: [codes[0], renamed] }),
      ).to.equal('done')
      expect(new Set(await noted())).to.deep.equal(new Set([codes[0], renamed]))
      expect(await together([renamed], { text: 'delete from links where code = $1', values: [renamed] })).to.equal(
        'done',
      )
      expect(await noted()).to.deep.equal([renamed])
    })

    it('is no decision about anything else', async () => {
      const refused = await db
        .asOwner(
          `
        with decided as (select set_config('app.decisions', '[{}]', true), set_config('role', 'users_any', true), set_config('app.decision', '', true))
        update users set role = 'viewer' from decided where id = 1`,
        )
        .then(
          () => 'done',
          (error: unknown) => Object(error).code,
        )
      expect(refused).to.equal('LG002')
    })
  })
})
