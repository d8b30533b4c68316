import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turnOver } from 'node:timers/promises'

import { expect } from 'chai'

import { createListener } from '../../src/database/listener.js'
import { openPool } from '../../src/database/pool.js'
import { deferred } from '../../src/domain/deferred.js'
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

  it('that was lost before its echo came is no fault once another one is up', async () => {
    const { service } = await testDatabase()
    const pool = openPool({ connection: service, size: 1, deadlineMs: 5_000 })
    const faults: unknown[] = []
    const givenUp = deferred()
    let attempts = 0
    const listener = createListener({
      connection: service,
      notify: async (channel, payload) => {
        attempts += 1
        if (attempts > 1) return pool.run({ text: 'select pg_notify($1, $2)', values: [channel, payload] })
        await pool.run({ text: ALL_LISTENERS_END })
        await givenUp.promise
        throw new Error('no echo came')
      },
      onChange: (fault) => faults.push(fault),
    })
    try {
      listener.start(() => undefined)
      await until('the next one is up', () => listener.up)
      givenUp.resolve()
      await turnOver()
      expect(faults).to.deep.equal([null])
    } finally {
      await listener.stop()
      await pool.close()
    }
  })
})

const ALL_LISTENERS_END =
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'linkgate listener' " +
  'and datname = current_database()'
