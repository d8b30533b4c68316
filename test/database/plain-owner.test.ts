import { randomBytes } from 'node:crypto'

import { expect } from 'chai'
import type { ClientConfig } from 'pg'

import { verifyLog } from '../../src/audit/verify-log.js'
import { PACKAGE_ROOT } from '../../src/config.js'
import { openDatabase } from '../../src/database/open.js'
import { openPool } from '../../src/database/pool.js'
import { withConnection } from '../../src/database/with-connection.js'
import { StartError } from '../../src/domain/start-error.js'
import { withPool, type AskDatabase } from '../support/bare-database.js'
import { cluster } from '../support/cluster.js'
import { urlOf } from '../support/node.js'
import { startTestService } from '../support/service.js'

/**
 * The bundled server, and others by the URLs of their superusers, separated by spaces: the rules for CREATEROLE are not
 * those of PostgreSQL 15 from 16 on.
 */
const servers: readonly (readonly [string, () => Promise<ClientConfig>])[] = [
  ['the bundled PostgreSQL', async () => (await cluster()).owner],
  ...(process.env['LINKGATE_TEST_SERVERS'] ?? '')
    .split(' ')
    .filter((url) => url !== '')
    .map((url) => {
      const { hostname: host, port, username: user, password } = new URL(url)
      const connection = { host, port: Number(port), user, password, database: 'postgres' }
      return [`the server at ${host}:${port}`, async () => connection] as const
    }),
]

const migrations = new URL('migrations/', PACKAGE_ROOT)

const open = (owner: ClientConfig) =>
  openDatabase(
    { databaseUrl: urlOf(owner), migrationDatabaseUrl: urlOf(owner), dataDir: '', migrations },
    { creating: true },
  )

for (const [server, superuserOf] of servers)
  describe(`an owner without superuser, on ${server}`, () => {
    let superuser: ClientConfig
    let ask: AskDatabase
    let version: number
    const roles: string[] = []
    const databases: string[] = []
    const password = 'a password'

    before(async () => {
      superuser = await superuserOf()
      ask = withPool(superuser)
      const [row] = await ask<{ version: string }>(`select current_setting('server_version_num') as version`)
      version = Math.floor(Number(row?.version) / 10_000)
    })
    after(async () => {
      for (const name of databases) await ask(`drop database ${name} with (force)`)
      for (const name of roles) {
        // what they granted to roles of the whole cluster goes with them
        await ask(`drop owned by ${name} cascade`)
        await ask(`drop role ${name}`)
      }
    })

    const makeOwner = async (rights: string) => {
      const user = `owner_${randomBytes(6).toString('hex')}`
      roles.push(user)
      await ask(`create role ${user} login ${rights} password '${password}'`)
      return user
    }
    const makeDatabase = async (user: string): Promise<ClientConfig> => {
      const database = `db_${randomBytes(6).toString('hex')}`
      databases.push(database)
      await ask(`create database ${database} owner ${user}`)
      return { ...superuser, user, password, database }
    }
    /** Lets the owner have roles that the cluster has already, as their maker has them. */
    const adopt = async (user: string) => {
      if (version < 16) return
      const names = await ask<{ name: string }>(
        `select rolname as name from pg_roles
          where rolname in ('links_own', 'links_any', 'users_own', 'users_any', 'identity', 'policy_editor',
            'audit_writer', 'audit_reader', 'links_public', 'audit_chain', 'visit_counter',
            'linkgate_service')`,
      )
      if (names.length > 0) await ask(`grant ${names.map(({ name }) => name).join(', ')} to ${user} with admin option`)
    }
    const serve = async (owner: ClientConfig) => {
      const opened = await open(owner)
      const service = await startTestService({ db: { ...opened, owner, asOwner: withPool(owner) } })
      try {
        const admin = await service.addUser('admin')
        const made = await service.request('POST', '/links', {
          token: admin.token,
          json: { code: 'one', target: 'https://example.com/' },
        })
        expect(made.status).to.equal(201)
        expect((await service.request('GET', '/one')).status).to.equal(302)
        expect((await service.request('GET', '/users/me', { token: admin.token })).status).to.equal(200)
        const [session] = await service.database.run<{ role: string }>({ text: 'select current_user::text as role' })
        expect(session?.role).to.equal('linkgate_service')
      } finally {
        await service.stop()
      }
    }

    it('serves with DATABASE_URL alone, again after a restart, and a second installation beside it', async () => {
      const user = await makeOwner('createrole')
      await adopt(user)
      for (const owner of [await makeDatabase(user), await makeDatabase(user)]) {
        await serve(owner)
        const opened = await open(owner)
        expect(opened.migrated).to.deep.equal([])
        const pool = openPool({ connection: opened.service, size: 1, deadlineMs: 5_000 })
        try {
          const verdict = await verifyLog(pool, { keys: new Map(), onFault: () => undefined })
          expect(verdict.entries).to.be.greaterThan(0)
        } finally {
          await pool.close()
        }
      }
    })

    it("serves beside another owner's installation, or says which grant is missing for that", async () => {
      const first = await makeOwner('createrole')
      await adopt(first)
      await serve(await makeDatabase(first))
      const second = await makeOwner('createrole')
      const owner = await makeDatabase(second)
      if (version >= 16) {
        const refused: unknown = await open(owner).catch((error: unknown) => error)
        expect(refused).to.be.instanceOf(StartError)
        const { message } = refused instanceof StartError ? refused : { message: '' }
        expect(message).to.not.include('\n')
        const [, statement] = /"(grant [a-z_, ]+ to owner_[0-9a-f]+ with admin option)"/.exec(message) ?? []
        expect(statement, message).to.include('links_own').and.include('linkgate_service')
        // what it says is all that was missing
        await ask(statement ?? '')
      }
      await serve(owner)
    })

    it('says in one line what else is missing', async () => {
      const message = async (owner: ClientConfig): Promise<string> => {
        const refused: unknown = await open(owner).catch((error: unknown) => error)
        expect(refused).to.be.instanceOf(StartError)
        return refused instanceof StartError ? refused.message : ''
      }
      const weak = await makeOwner('')
      expect(await message(await makeDatabase(weak))).to.match(/^[^\n]*"alter role owner_[0-9a-f]+ createrole"[^\n]*$/)

      const stranger = await makeOwner('createrole')
      await adopt(stranger)
      expect(await message({ ...(await makeDatabase(weak)), user: stranger })).to.match(
        /^[^\n]*"alter database db_[0-9a-f]+ owner to owner_[0-9a-f]+"[^\n]*$/,
      )

      if (version >= 16) return
      const aloof = await makeOwner('createrole noinherit')
      await adopt(aloof)
      expect(await message(await makeDatabase(aloof))).to.match(/^[^\n]*"alter role owner_[0-9a-f]+ inherit"[^\n]*$/)
    })

    it('searches by an index of owners, tags and texts, and of tags alone without extensions', async () => {
      const user = await makeOwner('createrole')
      await adopt(user)
      const [able, unable] = [await makeDatabase(user), await makeDatabase(user)]
      await ask(`revoke create on database ${unable.database} from ${user}`)
      const indexed = async (owner: ClientConfig) => {
        await open(owner)
        const [row] = await withConnection(
          owner,
          async (client) =>
            (await client.query<{ it: string }>(`select pg_get_indexdef('links_search'::regclass) as it`)).rows,
        )
        return /gin \(([^]*)\)$/.exec(row?.it ?? '')?.[1]
      }
      expect(await indexed(able)).to.match(/^owner_id, tags, lower\([^]* gin_trgm_ops$/)
      expect(await indexed(unable)).to.equal('tags')
      await serve(unable)
    })

    it('serves nothing as a role that could become the owner', async () => {
      const user = await makeOwner('createrole')
      await adopt(user)
      const owner = await makeDatabase(user)
      const { service } = await open(owner)
      const [row] = await withConnection(
        service,
        async (client) =>
          (await client.query<{ member: boolean }>(`select pg_has_role('${user}', 'member') as member`)).rows,
      )
      expect(row).to.deep.equal({ member: false })
    })
  })
