import { join } from 'node:path'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { connectionsOf } from '../../src/database/connections.js'
import { openAsOwner, openDatabase } from '../../src/database/open.js'
import { withConnection } from '../../src/database/with-connection.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('the connections of the embedded database', () => {
  it('are enough for every worker, one more that replaces one, and others', () => {
    // of each worker: its pool, a quarter as many long reads, the policy's and the listening one
    expect(connectionsOf({ workers: 12, databasePoolSize: 10 })).to.equal(13 * (10 + 2 + 2) + 20)
    expect(connectionsOf({ workers: 1, databasePoolSize: 100 })).to.equal(2 * (100 + 25 + 2) + 20)
    expect(connectionsOf({ workers: 1, databasePoolSize: 10 })).to.equal(100)
    expect(connectionsOf({ workers: 256, databasePoolSize: 1_000 }), 'what PostgreSQL takes').to.equal(10_000)
  })

  it('are those of the first that opens it', async () => {
    const settings = {
      databaseUrl: undefined,
      migrationDatabaseUrl: undefined,
      dataDir: join(await makeTemporaryFolder(), 'data'),
      migrations: new URL('migrations/', PACKAGE_ROOT),
      databasePoolSize: 10,
    }
    const limitOf = async (workers: number): Promise<unknown> => {
      const { owner, leave } = await openAsOwner({ ...settings, workers })
      try {
        return (await withConnection(owner, (client) => client.query('show max_connections'))).rows[0]
      } finally {
        await leave()
      }
    }
    const opened = await openDatabase({ ...settings, workers: 12 }, { creating: true })
    try {
      expect(await limitOf(1)).to.deep.equal({ max_connections: '202' })
    } finally {
      await opened.leave()
    }
    expect(await limitOf(20)).to.deep.equal({ max_connections: '314' })
  })
})
