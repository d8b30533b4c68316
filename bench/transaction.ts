import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import knexFactory from 'knex'
import { Pool } from 'pg'

import { PACKAGE_ROOT } from '../src/config.js'
import { openDatabase } from '../src/database/open.js'
import { openPool } from '../src/database/pool.js'
import { makeTemporaryFolder } from '../test/support/temporary-folder.js'
import { measure } from './measure.js'
import type { Suite } from './report.js'

const TIMES = 400

const repeat = (work: () => Promise<unknown>) => async () => {
  for (let i = 0; i < TIMES; i += 1) await work()
}

/** One select under a caller's identity, in the one flush, against the same select bare, and in a Knex transaction. */
export const transactionSuite = async (): Promise<Suite> => {
  const dataDir = await makeTemporaryFolder('linkgate-bench-')
  const opened = await openDatabase(
    {
      databaseUrl: undefined,
      migrationDatabaseUrl: undefined,
      dataDir: join(dataDir, 'data'),
      migrations: new URL('migrations/', PACKAGE_ROOT),
    },
    { creating: true },
  )
  const database = openPool({ connection: opened.service, size: 2, deadlineMs: 10_000 })
  // Connections that belong to one user permanently: impractical for a service, but the least that the select can cost.
  const plainPool = new Pool({ ...opened.service, max: 2, options: '-c role=links_own -c app.user_id=1' })
  const knexPool = new Pool({ ...opened.service, max: 2 })
  const knex = knexFactory({ client: 'pg', connectionPool: knexPool })
  try {
    const enter = { name: 'enter', text: 'select enter($1, $2)', values: ['links_own', '1'] }
    const select = {
      name: 'newest',
      text: 'select id, code, target from links where owner_id = $1 order by id desc limit 20',
      values: ['1'],
    }
    const measured = await measure([
      { name: 'plain query', batch: TIMES, run: repeat(() => plainPool.query(select)) },
      {
        name: 'one flush: begin, context, select, commit',
        batch: TIMES,
        run: repeat(() => database.flush([enter, select])),
      },
      {
        name: 'Knex transaction, the same statements',
        batch: TIMES,
        run: repeat(() =>
          knex.transaction(async (trx) => {
            await trx.raw('select enter(?, ?)', ['links_own', '1'])
            await trx('links').select('id', 'code', 'target').where('owner_id', '1').orderBy('id', 'desc').limit(20)
          }),
        ),
      },
    ])
    return { title: 'One transaction', baseline: 'plain query', unit: 'µs', measured }
  } finally {
    await knex.destroy()
    await plainPool.end()
    if (!knexPool.ended) await knexPool.end()
    await database.close()
    await opened.leave()
    await rm(dataDir, { recursive: true, force: true })
  }
}
