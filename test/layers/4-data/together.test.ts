import { expect } from 'chai'
import { array, assert, asyncProperty, boolean, constantFrom, nat, oneof, record } from 'fast-check'

import { groupCommits } from '../../../src/database/group-commit.js'
import type { Change } from '../../../src/database/change.js'
import type { Database } from '../../../src/database/database.js'
import type { Statement } from '../../../src/database/statement.js'
import { openPool } from '../../../src/database/pool.js'
import type { Action } from '../../../src/domain/action.js'
import { toId } from '../../../src/domain/id.js'
import type { Link, PresumedLink } from '../../../src/domain/link.js'
import { linksStore } from '../../../src/layers/4-data/links.js'
import { RecordChanged } from '../../../src/layers/4-data/record-changed.js'
import { startLoneLayer } from '../../support/lone-layer.js'
import type { LoneLayer } from '../../support/lone-layer.js'
import { addLink, storedLinks } from '../../support/records.js'
import type { TestUser } from '../../support/service.js'

/** Changes of many callers in one statement: what becomes of each is what would have become of it alone. */
describe('changes of many callers in one statement', () => {
  let alone: LoneLayer
  let pool: Database
  before(async () => {
    alone = await startLoneLayer('data')
    pool = openPool({ connection: alone.service.db.service, size: 4, deadlineMs: 5_000 })
  })
  after(async () => {
    await pool.close()
    await alone.service.stop()
  })
  beforeEach(() => alone.service.db.asOwner('truncate links'))

  const open = (database: Database, user: TestUser | null, action: Action | 'creation', requestId: string) => {
    const snapshot = alone.service.policy.current()
    const decision = snapshot.decide(user, action === 'creation' ? 'link:create' : action, {
      owner_id: user?.id ?? null,
    })
    return linksStore(
      database,
      () => undefined,
    )(action).open({
      caller: { user, scopes: new Set(), tokenId: null, signIn: null, address: '127.0.0.1' },
      snapshot,
      decision: { ...decision, effect: 'allow' },
      requestId,
      status: 200,
      repeat: null,
    })
  }

  const WHO = ['admin', 'editor', 'stranger', 'nobody'] as const
  const LINKS = 4
  const user = (who: (typeof WHO)[number]) => (who === 'nobody' ? null : alone[who])
  const owners = () => [alone.editor.id, alone.stranger.id, alone.admin.id, null]

  const who = constantFrom(...WHO)
  const wanted = oneof(
    record({
      what: constantFrom('update' as const),
      who,
      link: nat(LINKS - 1),
      target: nat(99),
      presumed: boolean(),
      version: constantFrom(undefined, 1, 2),
    }),
    record({
      what: constantFrom('delete' as const),
      who,
      link: nat(LINKS - 1),
      presumed: boolean(),
      version: constantFrom(undefined, 1),
    }),
    record({
      what: constantFrom('create' as const),
      who: constantFrom('admin' as const, 'editor' as const, 'stranger' as const),
      target: nat(99),
    }),
  )
  type Wanted = typeof wanted extends { generate(mrng: never, bias: never): { readonly value: infer T } } ? T : never

  /**
   * Makes fresh links, sends the changes as `inTurn` says, and tells what became of each and of the links, with codes
   * by their place.
   */
  const outcomeOf = async (changes: readonly Wanted[], inTurn: boolean) => {
    const {
      service: { db },
    } = alone
    await db.asOwner('truncate links')
    const codes = await Promise.all(owners().map((owner) => addLink(db, { owner })))
    const ids = new Map(
      (await db.asOwner<{ code: string; id: string }>('select code, id from links')).map(({ code, id }) => [code, id]),
    )
    const made: string[] = []
    const send = async (change: Wanted, n: number) => {
      const request = `together-${n}`
      if (change.what === 'create') {
        const link = await open(pool, user(change.who), 'creation', request).create({
          target: `https://example.com/${change.target}`,
        })
        made[n] = link.code
        return { target: link.target, owner: link.owner_id }
      }
      const code = codes[change.link] ?? ''
      const by = user(change.who)
      const owner = owners()[change.link] ?? null
      const about: Link | PresumedLink =
        change.presumed && by !== null
          ? { code, owner_id: by.id, presumed: true }
          : {
              id: toId(ids.get(code) ?? ''),
              code,
              owner_id: owner,
              target: '',
              created_at: '',
              updated_at: '',
              version: 1,
            }
      const links = open(pool, by, change.what === 'update' ? 'link:update' : 'link:delete', request)
      if (change.what === 'delete') return links.delete(about, change.version)
      const { target, version } = await links.update(
        about,
        { target: `https://example.com/${change.target}` },
        change.version,
      )
      return { target, version }
    }
    const told = (outcome: PromiseSettledResult<unknown>) =>
      outcome.status === 'fulfilled'
        ? (outcome.value ?? 'done')
        : outcome.reason instanceof RecordChanged
          ? 'not there'
          : outcome.reason
    const outcomes: unknown[] = []
    if (inTurn)
      for (const [n, change] of changes.entries()) outcomes.push(told((await Promise.allSettled([send(change, n)]))[0]))
    else outcomes.push(...(await Promise.allSettled(changes.map(send))).map(told))
    const placeOf = (code: string) =>
      codes.includes(code) ? `link ${codes.indexOf(code)}` : `made ${made.indexOf(code)}`
    const all = [...codes, ...made.filter(Boolean)]
    const stored = (await storedLinks(db))
      .map(({ code, target, owner_id }) => [placeOf(code), target, owner_id])
      .toSorted()
    const recorded = (
      await db.asOwner<{ request: string; subject: string | null; action: string; code: string; rule: string }>(
        `select request_id as request, subject_id::text as subject, action, resource_code as code, rule from decisions where request_id like 'together-%' and resource_code = any ($1)`,
        [all],
      )
    )
      .map(({ request, subject, action, code, rule }) => [request, subject, action, placeOf(code), rule].join(' '))
      .toSorted()
    return { outcomes, stored, recorded }
  }

  it('end, are stored and are recorded as if each had come alone', async () => {
    await assert(
      asyncProperty(array(wanted, { minLength: 2, maxLength: 14 }), async (changes) => {
        expect(await outcomeOf(changes, false)).to.deep.equal(await outcomeOf(changes, true))
      }),
      { numRuns: 60 },
    )
  })

  it('are bound to their owners by the statement itself, where row-level security is not there', async () => {
    const {
      service: { db },
      editor,
      stranger,
    } = alone
    const sent: Change[] = []
    const listening: Database = {
      ...pool,
      change: async (change) => {
        sent.push(change)
        return undefined
      },
    }
    const codes: string[] = []
    for (const owner_id of [editor.id, stranger.id, null]) {
      const code = await addLink(db, { owner: owner_id })
      const [stored] = await db.asOwner<{ id: string }>('select id from links where code = $1', [code])
      const link = {
        id: toId(stored?.id ?? ''),
        code,
        owner_id,
        target: '',
        created_at: '',
        updated_at: '',
        version: 1,
      }
      // as it is, whoever's it is: that it is the editor's is all that the statement can refuse
      await open(listening, editor, 'link:update', 'r')
        .update(link, { target: 'https://example.com/mine' })
        .catch(() => undefined)
      codes.push(code)
    }
    const [first] = sent
    if (!first) throw new Error('nothing was sent')
    const statement = first.form.many(sent.map(({ values }) => values))
    const changed = await pool.transaction(async (client) => {
      await client.query(`select set_config('app.decision', $1, true), set_config('role', 'links_any', true)`, [
        JSON.stringify({ ...first.entering.decision }),
      ])
      return (await client.query(statement.text, [...(statement.values ?? [])])).rows.map(
        (row: Record<string, unknown>) => row['code'],
      )
    })
    expect(changed).to.deep.equal([codes[0]])
  })

  it('are sent as one statement of each form', async () => {
    const sent: string[] = []
    const listening = groupCommits({
      wire: ({ text, values = [], name }: Statement) => ({ text, name, values: values.map(String) }),
      deadlineMs: 1_000,
      send: async (statements) => {
        sent.push(...statements.map(({ text }) => text))
        return statements.map(() => ({ rows: [], rowCount: 0 }))
      },
    })
    const database: Database = {
      ...pool,
      change: async (change) => {
        await listening(change)
        return undefined
      },
    }
    const update = (by: TestUser, code: string) =>
      open(database, by, 'link:update', 'r').update(
        { code, owner_id: by.id, presumed: true },
        { target: 'https://example.com/' },
      )
    const remove = (by: TestUser, code: string) =>
      open(database, by, 'link:delete', 'r').delete({ code, owner_id: by.id, presumed: true })
    await Promise.allSettled([
      update(alone.editor, 'b'),
      remove(alone.stranger, 'c'),
      update(alone.stranger, 'a'),
      update(alone.editor, 'a'),
      remove(alone.editor, 'd'),
    ])
    expect(
      sent.map((text) =>
        /^(?:select (\w+)|with "given" as .*?(update|delete)|(update))/.exec(text)?.slice(1).find(Boolean),
      ),
    ).to.deep.equal(['enter_changes', 'update', 'enter_changes', 'delete', 'enter_changes', 'update'])
  })
})
