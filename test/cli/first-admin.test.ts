import { access, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect } from 'chai'
import { Client } from 'pg'

import { testDatabase } from '../support/database.js'
import { onDatabase, startNode } from '../support/node.js'
import type { ServiceNode } from '../support/node.js'
import { requireBuilt, runProgram } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { untilSaid } from '../support/workers.js'

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
    try {
      // both have seen an empty table before either may add an account
      await door.query('select pg_advisory_lock($1)', [FIRST_ACCOUNT])
      nodes.push(
        ...(await Promise.all(
          folders.map((folder) =>
            startNode({ ...onDatabase(service, owner), DATA_DIR: folder, REQUEST_DEADLINE_MS: '30000' }),
          ),
        )),
      )
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
    }
    await Promise.all(nodes.map((node) => untilSaid(node, (output) => output.includes('Ctrl-C'))))

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
