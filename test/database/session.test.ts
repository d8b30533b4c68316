import { randomBytes } from 'node:crypto'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { openDatabase, type DatabaseSettings } from '../../src/database/open.js'
import { openPool } from '../../src/database/pool.js'
import { StartError } from '../../src/domain/start-error.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { urlOf } from '../support/node.js'

describe('the session of the service, at its start', () => {
  let db: TestDatabase
  const role = `login_${randomBytes(6).toString('hex')}`

  const settings = (databaseUrl: string, migrationDatabaseUrl: string): DatabaseSettings => ({
    databaseUrl,
    migrationDatabaseUrl,
    dataDir: '',
    migrations: new URL('migrations/', PACKAGE_ROOT),
  })
  const open = (databaseUrl: string, migrationDatabaseUrl: string, more: Partial<DatabaseSettings> = {}) =>
    openDatabase({ ...settings(databaseUrl, migrationDatabaseUrl), ...more }).then(
      ({ migrated }) => migrated,
      (error: unknown) => error,
    )

  before(async () => {
    db = await testDatabase()
    await db.asOwner(`create role ${role} login noinherit password 'a password'`)
    await db.asOwner(`grant usage on schema public to ${role}`)
    await db.asOwner(`grant select on schema_migrations to ${role}`)
  })
  after(async () => {
    await db.asOwner(`drop owned by ${role}`)
    await db.asOwner(`drop role ${role}`)
  })

  it('is refused to a login that row-level security does not bind, whichever way', async () => {
    const login = urlOf({ ...db.service, user: role, password: 'a password' })
    expect(await open(login, urlOf(db.owner))).to.deep.equal([])
    for (const might of ['superuser', 'bypassrls', 'createrole', 'replication']) {
      await db.asOwner(`alter role ${role} ${might}`)
      expect(await open(login, urlOf(db.owner)), might)
        .to.be.instanceOf(StartError)
        .with.property('message')
        .that.includes(role)
        .and.includes('row-level security')
      await db.asOwner(`alter role ${role} no${might}`)
    }
    await db.asOwner(`grant ${db.owner.user} to ${role}`)
    expect(await open(login, urlOf(db.owner))).to.be.instanceOf(StartError)
    await db.asOwner(`revoke ${db.owner.user} from ${role}`)
    expect(await open(login, urlOf(db.owner))).to.deep.equal([])
  })

  it("needs no owner where the schema is up to date, and drops the owner's rights where one URL is both", async () => {
    expect(await open(urlOf(db.service), urlOf(db.service))).to.deep.equal([])
    expect(await open(urlOf(db.owner), urlOf(db.owner))).to.deep.equal([])
  })

  it('is made with the isolation that changes need, and refused where a pooler keeps that from it', async () => {
    const login = urlOf({ ...db.service, user: role, password: 'a password' })
    await db.asOwner(`alter role ${role} set default_transaction_isolation = 'serializable'`)
    expect(await open(login, urlOf(db.owner))).to.deep.equal([])
    expect(await open(login, urlOf(db.owner), { databasePooled: true }))
      .to.be.instanceOf(StartError)
      .with.property('message')
      .that.includes('default_transaction_isolation is "serializable"')
    await db.asOwner(`alter role ${role} reset default_transaction_isolation`)
  })

  it('reads times that the role would write in another style, and is refused where a pooler keeps it so', async () => {
    const login = urlOf({ ...db.service, user: role, password: 'a password' })
    await db.asOwner(`alter role ${role} set datestyle = 'German'`)
    const { service } = await openDatabase(settings(login, urlOf(db.owner)))
    const pool = openPool({ connection: service, size: 1, deadlineMs: 5_000 })
    const [row] = await pool.run({ text: "select timestamptz '2026-01-02T03:04:05Z' as time" })
    expect(row).to.deep.equal({ time: new Date('2026-01-02T03:04:05Z') })
    await pool.close()
    expect(await open(login, urlOf(db.owner), { databasePooled: true }))
      .to.be.instanceOf(StartError)
      .with.property('message')
      .that.includes('DateStyle is "German, DMY"')
    await db.asOwner(`alter role ${role} reset datestyle`)
  })

  it('is refused where the login does not work, in one line', async () => {
    expect(await open(urlOf({ ...db.service, password: 'wrong' }), urlOf(db.owner)))
      .to.be.instanceOf(StartError)
      .with.property('message')
      .that.includes('DATABASE_URL')
  })
})
