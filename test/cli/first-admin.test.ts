import { createHash } from 'node:crypto'
import { access, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect } from 'chai'
import { Client } from 'pg'

import { addFirstAdmin } from '../../src/cli/first-admin.js'
import { readConfig } from '../../src/config.js'
import { testDatabase } from '../support/database.js'
import { textAt } from '../support/json.js'
import { keepLog } from '../support/log.js'
import { onDatabase, startNode, type ServiceNode } from '../support/node.js'
import { requireBuilt, runProgram } from '../support/program.js'
import { startTestService, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/** The lock under which the first account is made (src/identity/accounts.ts). */
const FIRST_ACCOUNT = 7_274_502

describe('the first admin', () => {
  const nodes: ServiceNode[] = []
  after(() => Promise.all(nodes.map((node) => node.stop())))

  it('is made by one of two nodes that start at once on an empty database, and its password signs in', async () => {
    const { service, owner } = await testDatabase()
    const folders = [join(await makeTemporaryFolder(), 'data'), join(await makeTemporaryFolder(), 'data')]
    const door = new Client(owner)
    await door.connect()
    // both have seen an empty table before either may add an account
    await door.query('select pg_advisory_lock($1)', [FIRST_ACCOUNT])
    const starting = Promise.all(
      folders.map((folder) =>
        startNode({ ...onDatabase(service, owner), DATA_DIR: folder, REQUEST_DEADLINE_MS: '30000' }),
      ),
    )
    try {
      const waiting = `
        select 1 from pg_locks
         where locktype = 'advisory' and objid = $1 and not granted
           and database = (select oid from pg_database where datname = current_database())`
      await until('both nodes wait for the lock', async () => {
        const { rowCount } = await door.query(waiting, [FIRST_ACCOUNT])
        return rowCount === 2
      })
    } finally {
      await door.end()
      nodes.push(...(await starting))
    }

    const left = (
      await Promise.all(
        folders.map((folder) =>
          access(join(folder, 'first-admin-password')).then(
            () => [folder],
            () => [],
          ),
        ),
      )
    ).flat()
    expect(left).to.have.length(1)
    const password = await readFile(join(left[0] ?? '', 'first-admin-password'), 'utf8')
    for (const { baseUrl } of nodes) {
      const answer = await fetch(`${baseUrl}/auth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'password', username: 'admin@localhost', password }),
      })
      expect(answer.status).to.equal(200)
    }
  })

  it('is not made where its password cannot be written: one line, exit code 1', async () => {
    requireBuilt()
    const { service, owner, asOwner } = await testDatabase()
    const folder = join(await makeTemporaryFolder(), 'data')
    // where the password is to be written
    await mkdir(join(folder, 'first-admin-password'), { recursive: true })
    const program = runProgram(['serve'], { ...onDatabase(service, owner), DATA_DIR: folder, PORT: '0' })
    try {
      const { code, stderr } = await program.ended
      expect(code).to.equal(1)
      expect(stderr).to.match(/^linkgate: .*EISDIR.*\n$/)
      expect(await asOwner('select from users')).to.have.length(0)
    } finally {
      program.child.kill('SIGKILL')
    }
  })
})

describe('the first admin at a terminal', () => {
  let service: TestService
  const kept = keepLog()
  after(() => service?.stop())

  const addIn = async (environment: Readonly<Record<string, string>>, isTerminal: boolean) =>
    addFirstAdmin(service.db, readConfig(environment, isTerminal), kept.log)
  /** An empty installation, whose start is read on a terminal. */
  const welcomed = async (): Promise<string> => {
    await service?.stop()
    service = await startTestService()
    const folder = join(await makeTemporaryFolder(), 'data')
    const admin = await addIn({ DATA_DIR: folder }, true)
    // nothing of it lies around
    expect(await access(folder).catch(() => 'nothing')).to.equal('nothing')
    return admin?.by === 'link' ? admin.token : expect.fail(`not by a link: ${JSON.stringify(admin)}`)
  }
  const look = (token: string) => service.request('GET', `/auth/password/reset?token=${token}`)
  const choose = (token: string) =>
    service.request('POST', '/auth/password/reset', { json: { token, password: 'a password of my own' } })
  const signIn = (username: string) =>
    service.request('POST', '/auth/token', {
      json: { grant_type: 'password', username, password: 'a password of my own' },
    })

  it('chooses a password by an address that works once, and takes an e-mail address of their own', async () => {
    const token = await welcomed()
    const seen = await look(token)
    expect(seen.json).to.include({ email: 'admin@localhost' })
    expect(Date.parse(textAt(seen.json, 'expires_at')) - Date.now()).to.be.within(0, 600_000)
    expect((await choose(token)).status).to.equal(200)
    for (const again of [await look(token), await choose(token)])
      expect(again.json).to.include({ status: 410, code: 'gone' })

    const access = textAt((await signIn('admin@localhost')).json, 'access_token')
    const me = await service.request('GET', '/users/me', { token: access })
    expect(me.json).to.include({ role: 'admin' })
    const path = `/users/${textAt(me.json, 'id')}`
    const renamed = await service.request('PATCH', path, { token: access, json: { email: 'ada@example.com' } })
    expect(renamed.json).to.include({ email: 'ada@example.com' })
    // the sign-in goes on, and the next one is with the new address
    expect((await service.request('GET', '/users/me', { token: access })).status).to.equal(200)
    expect((await signIn('ada@example.com')).status).to.equal(200)
  })

  it('is too late after ten minutes', async () => {
    const token = await welcomed()
    const [link] = await service.db.asOwner<{ expires_at: Date; past: boolean }>(
      `update account_tokens set expires_at = expires_at - interval '10 minutes'
        returning expires_at, expires_at <= now() as past`,
    )
    expect(link).to.include({ past: true })
    for (const late of [await look(token), await choose(token)])
      expect(late.json).to.include({ status: 410, code: 'gone' })
    expect((await signIn('admin@localhost')).status).to.equal(400)
  })

  it('has an address of which only the SHA-256 is kept', async () => {
    const token = await welcomed()
    const [kept] = await service.db.asOwner<{ token_hash: Buffer }>('select token_hash from account_tokens')
    expect(kept?.token_hash.equals(createHash('sha256').update(token).digest())).to.equal(true)
  })

  it('is made at the first start alone', async () => {
    await welcomed()
    expect(await addIn({}, true)).to.equal(null)
    expect(await service.db.asOwner('select from account_tokens')).to.have.length(1)
  })

  it('is missed in the log where the command line has made accounts already, but none of an admin', async () => {
    await service?.stop()
    service = await startTestService()
    await service.addUser('editor')
    expect(await addIn({}, true)).to.equal(null)
    await kept.line('no active user is an admin')
    await service.addUser('admin')
    expect(await addIn({}, true)).to.equal(null)
    expect(kept.lines()).to.have.length(1)
  })

  it('has a file and no address where a program reads the start: LOG_FORMAT=json, or no terminal', async () => {
    for (const [environment, isTerminal] of [
      [{ LOG_FORMAT: 'json' }, true],
      [{ LOG_FORMAT: 'text' }, false],
    ] as const) {
      await service?.stop()
      service = await startTestService()
      const folder = join(await makeTemporaryFolder(), 'data')
      expect(await addIn({ ...environment, DATA_DIR: folder }, isTerminal)).to.deep.equal({
        by: 'file',
        file: join(folder, 'first-admin-password'),
      })
      expect(await service.db.asOwner('select from account_tokens')).to.have.length(0)
    }
  })
})
