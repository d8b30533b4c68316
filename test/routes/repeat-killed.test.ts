import { randomUUID } from 'node:crypto'

import { expect } from 'chai'

import { addUser } from '../support/add-user.js'
import { ask } from '../support/ask.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { onDatabase, startNode } from '../support/node.js'
import { freePort } from '../support/proxy.js'
import { madeSigningKey } from '../support/signing-key.js'

const AT_ONCE = 8
/** How many creations are acknowledged before the process is killed, with others under way. */
const ACKNOWLEDGED = [5, 60]

interface Creation {
  readonly path: string
  readonly json: unknown
  readonly key: string
  answer?: string
}

describe('a process that is killed amid creations under keys', () => {
  let db: TestDatabase
  before(async () => {
    db = await testDatabase()
  })

  it('leaves each made once or not at all: sent again, all are there once', async () => {
    // one address for all starts: it stands in the answers
    const port = String(await freePort())
    const environment = {
      ...onDatabase(db.service, db.owner),
      PORT: port,
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
    }
    const creations: Creation[] = []
    const service = { connection: db.service, signingKeyFile: environment.JWT_SIGNING_KEY_FILE }
    const { token } = await addUser(service, 'admin')
    const make = ({ path, json, key }: Creation) =>
      ask(`http://127.0.0.1:${port}`, 'POST', path, { token, json, headers: { 'Idempotency-Key': key } })
    for (const enough of ACKNOWLEDGED) {
      const node = await startNode(environment)
      const begun: Creation[] = []
      let acknowledged = 0
      const makeUntilItDies = async () => {
        for (;;) {
          const creation: Creation =
            begun.length % 2 === 0
              ? { path: '/links', json: { target: 'https://example.com/' }, key: randomUUID() }
              : {
                  path: '/users/invitations',
                  json: { email: `${begun.length}@example.com`, role: 'viewer' },
                  key: randomUUID(),
                }
          begun.push(creation)
          const answer = await make(creation).catch(() => null)
          if (answer === null) return
          expect(answer.status, answer.text).to.equal(201)
          creation.answer = answer.text
          acknowledged += 1
          if (acknowledged === enough) node.child.kill('SIGKILL')
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, makeUntilItDies))
      await node.stop('SIGKILL')
      creations.push(...begun)
    }

    const node = await startNode(environment)
    try {
      for (const creation of creations) {
        const again = await make(creation)
        const isKept = creation.answer !== undefined
        if (creation.path === '/links') {
          expect(again.status, again.text).to.equal(201)
          const replayed = again.headers.get('Idempotent-Replayed')
          if (isKept) expect([again.text, replayed]).to.deep.equal([creation.answer, 'true'])
        } else {
          // made, and its link shown once; or not made before
          expect(again.status, again.text).to.be.oneOf(isKept ? [409] : [201, 409])
        }
      }
      const [stored] = await db.asOwner(
        `select (select count(*) from links) + (select count(*) from invitations) as made,
                (select count(*) from decisions
                  where action in ('link:create', 'user:invite') and effect = 'allow'
                    -- a repetition makes no record, and its entry names none
                    and resource_code is not null) as decided`,
      )
      expect(stored).to.deep.equal({ made: String(creations.length), decided: String(creations.length) })
      expect(
        creations.filter(({ answer }) => answer === undefined),
        'some were cut off',
      ).to.not.deep.equal([])
    } finally {
      await node.stop()
    }
  })
})
