import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect } from 'chai'

import { createListener } from '../../src/database/listener.js'
import { openPool } from '../../src/database/pool.js'
import { testDatabase } from '../support/database.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { urlOf } from '../support/node.js'
import { until } from '../support/until.js'

describe('the listening connection', () => {
  it('is tried again where a file of its URL is missing for a while, as after any other failure', async () => {
    const { service } = await testDatabase()
    const certificate = join(await makeTemporaryFolder(), 'root.crt')
    const pool = openPool({ connection: service, size: 1, deadlineMs: 5_000 })
    const faults: unknown[] = []
    const listener = createListener({
      // the file is read although nothing is encrypted
      connection: { connectionString: `${urlOf(service)}&sslmode=disable&sslrootcert=${certificate}` },
      notify: (channel, payload) => pool.run({ text: 'select pg_notify($1, $2)', values: [channel, payload] }),
      onChange: (fault) => faults.push(fault),
    })
    try {
      listener.start(() => undefined)
      await until('it has failed twice', () => faults.length >= 2)
      expect(faults[0]).to.have.property('code', 'ENOENT')
      expect(listener.up).to.equal(false)
      await writeFile(certificate, '')
      await until('it is up', () => listener.up)
    } finally {
      await listener.stop()
      await pool.close()
    }
  })
})
