import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import { expect } from 'chai'
import { Client } from 'pg'

import { addRows } from './edit-policy.js'
import { textAt } from './json.js'
import { addLink } from './records.js'
import { startTestService, type TestService, type TestUser } from './service.js'
import { makeTemporaryFolder } from './temporary-folder.js'

/** How often rights are taken, and what became of the changes. */
interface RightsTaken {
  readonly changes: number
  readonly taken: Readonly<Record<string, number>>
  /** changes that were committed after it was acknowledged that their caller had lost the right to them */
  readonly committedAfterwards: readonly string[]
}

const USERS = 6
const WRITERS_A_USER = 3
/** A role that may change nothing, not even what is its own. */
const LOCKED = 'locked'

/** Promise 10 of the contract, at so many changes of links through two services. */
export const describeRightsTaken = (changes: number): void => {
  describe(`rights that are taken away at random amid ${changes.toLocaleString('en')} changes`, () => {
    let service: TestService
    let other: TestService
    before(async () => {
      const environment = { DATA_DIR: await makeTemporaryFolder() }
      service = await startTestService({ environment })
      other = await startTestService({ environment, db: service.db })
    })
    after(async () => {
      await service.stop()
      await other.stop()
    })

    it('have no change of theirs committed after their end was acknowledged', async () => {
      const found = await takeRightsAtRandom([service, other], changes)
      expect(found.committedAfterwards).to.deep.equal([])
      expect(found.changes).to.be.at.least(changes)
      expect(Object.keys(found.taken)).to.have.members(['suspension', 'demotion', 'revocation'])
    })
  })
}

/**
 * Users change links of theirs through two services, until there are `changes` acknowledged ones, while their rights
 * are taken away at random: suspension, another role, the end of their personal token. After each acknowledgement their
 * links are counted at once, and again when nothing of theirs is under way: no difference may be seen. Other sessions
 * lock links meanwhile, so that changes wait.
 */
const takeRightsAtRandom = async (
  services: readonly [TestService, TestService],
  changes: number,
): Promise<RightsTaken> => {
  const [service] = services
  const root = await service.addUser('admin')
  await addRows(service, root.token, [
    { ptype: 'p', priority: 5, rule: 'TEST', role: LOCKED, action: 'link:update', reach: 'any', effect: 'deny' },
  ])
  const taken: Record<string, number> = {}
  const committedAfterwards: string[] = []
  let acknowledged = 0
  const isDone = () => acknowledged >= changes

  const hold = async (links: readonly string[]) => {
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      while (!isDone()) {
        await client.query('begin')
        await client.query('select from links where code = $1 for update', [links[randomInt(links.length)]])
        await delay(randomInt(15))
        await client.query('commit')
      }
    } finally {
      await client.end()
    }
  }

  const lead = async (user: TestUser, code: string) => {
    const patchUser = async (json: unknown) => {
      const { status, text } = await service.request('PATCH', `/users/${user.id}`, { token: root.token, json })
      if (status !== 200) throw new Error(`${status} ${text}`)
    }
    const makeToken = async () => {
      const { json } = await service.request('POST', '/users/me/tokens', {
        token: user.token,
        json: { name: 'a key', scopes: ['link:update'] },
      })
      return { id: textAt(json, 'id'), value: textAt(json, 'token') }
    }
    /** what is taken, and how it is given back */
    const kinds = {
      suspension: [() => patchUser({ suspended: true }), () => patchUser({ suspended: false })],
      demotion: [() => patchUser({ role: LOCKED }), () => patchUser({ role: 'editor' })],
      revocation: [
        () => service.request('DELETE', `/users/me/tokens/${token.id}`, { token: user.token }),
        async () => {
          token = await makeToken()
        },
      ],
    } as const
    let token = await makeToken()
    const write = async (writer: number, ending: AbortSignal) => {
      while (!ending.aborted) {
        const { status } = await (services[writer % 2] ?? service).request('PATCH', `/links/${code}`, {
          token: token.value,
          json: { target: `https://example.com/${randomInt(1e9)}` },
        })
        if (status === 200) acknowledged += 1
      }
    }
    const version = async () =>
      (await service.db.asOwner<{ version: string }>('select version from links where code = $1', [code]))[0]?.version

    while (!isDone()) {
      const ending = new AbortController()
      const writers = Array.from({ length: WRITERS_A_USER }, (_, writer) => write(writer, ending.signal))
      await delay(randomInt(60))
      const names = ['suspension', 'demotion', 'revocation'] as const
      const kind = names[randomInt(names.length)] ?? 'suspension'
      const [take, giveBack] = kinds[kind]
      await take()
      const atOnce = await version()
      ending.abort()
      await Promise.all(writers)
      taken[kind] = (taken[kind] ?? 0) + 1
      if ((await version()) !== atOnce) committedAfterwards.push(`${user.email} after its ${kind}`)
      await giveBack()
    }
  }

  const led = await Promise.all(
    Array.from({ length: USERS }, async () => {
      const user = await service.addUser('editor')
      return { user, code: await addLink(service.db, { owner: user.id }) }
    }),
  )
  await Promise.all([hold(led.map(({ code }) => code)), ...led.map(({ user, code }) => lead(user, code))])
  return { changes: acknowledged, taken, committedAfterwards }
}
