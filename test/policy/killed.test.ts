import { expect } from 'chai'

import { addUser } from '../support/add-user.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { onDatabase, startNode } from '../support/node.js'
import { madeSigningKey } from '../support/signing-key.js'

const ROW = {
  ptype: 'p',
  priority: 900,
  rule: 'FLIP',
  role: 'clerk',
  action: 'link:read',
  reach: 'any',
  effect: 'allow',
}

/**
 * How long after the first edit of a round the process is killed, in milliseconds: somewhere in the middle of another.
 */
const DELAYS = [3, 11, 24, 40, 75]

describe('a process that is killed in the middle of an edit', () => {
  let db: TestDatabase
  before(async () => {
    db = await testDatabase()
  })

  it('leaves the edit complete or absent, and the next start goes on', async () => {
    const environment = {
      ...onDatabase(db.service, db.owner),
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
    }
    const service = { connection: db.service, signingKeyFile: environment.JWT_SIGNING_KEY_FILE }
    let token = ''
    for (const delay of DELAYS) {
      const node = await startNode(environment)
      token ||= (await addUser(service, 'admin')).token
      const edits = editUntilItDies(node.baseUrl, token)
      await edits.first
      await new Promise((resolve) => {
        setTimeout(resolve, delay)
      })
      await node.stop('SIGKILL')
      const acknowledged = await edits.acknowledged

      const [stored] = await db.asOwner<Record<string, string>>(`
        select (select revision from policy_head) as head, max(revision) as newest, count(*) as revisions,
               (select count(*) from casbin where rule ->> 1 = 'FLIP') as flips,
               (select count(*) from decisions where action = 'policy:write' and effect = 'allow') as records
          from policy_revisions`)
      const head = Number(stored?.['head'])
      expect(head, 'an acknowledged edit is there').to.be.at.least(acknowledged)
      expect([stored?.['newest'], stored?.['revisions']]).to.deep.equal([String(head), String(head)])
      expect(stored?.['flips'], `revision ${head}`).to.equal(head % 2 === 0 ? '1' : '0')
      expect(stored?.['records']).to.equal(String(head - 1))
    }
    const node = await startNode(environment)
    expect((await fetch(`${node.baseUrl}/readyz`)).status).to.equal(200)
    await node.stop()
  })
})

/** Flips the row as fast as the node commits; `acknowledged` is the last revision that it answered before it died. */
const editUntilItDies = (url: string, token: string) => {
  let begun = () => {}
  const first = new Promise<void>((resolve) => {
    begun = resolve
  })
  const run = async (): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    let revision = Number((await fetch(`${url}/policy`, { headers })).headers.get('ETag')?.replaceAll('"', ''))
    try {
      for (;;) {
        const change = revision % 2 === 0 ? { add: [], remove: [ROW] } : { add: [ROW], remove: [] }
        const answer = await fetch(`${url}/policy/changes`, {
          method: 'POST',
          headers: { ...headers, 'If-Match': `"${revision}"` },
          body: JSON.stringify({ ...change, reason: 'flip' }),
        })
        if (answer.status !== 200) throw new Error(await answer.text())
        revision += 1
        begun()
      }
    } catch {
      begun()
      return revision
    }
  }
  return { first, acknowledged: run() }
}
