import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

import { expect } from 'chai'

import { verifyLog } from '../../src/audit/verify-log.js'
import type { LogFault } from '../../src/audit/verify-log.js'
import { PACKAGE_ROOT } from '../../src/config.js'
import { migrate } from '../../src/database/migrate.js'
import { openPool } from '../../src/database/pool.js'
import { withPool } from '../support/bare-database.js'
import { cluster, createDatabase } from '../support/cluster.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const FIELDS =
  'id, time, request_id, revision, layer, subject_id, subject_role, token_id, network, action, resource_type, resource_code, relation, effect, rule, row_priority, status'

describe('a log from before there were chains', () => {
  it('is chained whole, every entry as it was and under its id, and new entries go on behind it', async () => {
    const { service } = await cluster()
    const { owner } = await createDatabase()
    const old = pathToFileURL(`${await makeTemporaryFolder()}/`)
    await cp(new URL('migrations/', PACKAGE_ROOT), old, { recursive: true })
    for (const name of await readdir(old)) if (/^\d/.test(name) && name >= '0006') await rm(new URL(name, old))
    await writeFile(new URL('grants.sql', old), '')
    await migrate({ owner, service, folder: old })
    const ask = withPool(owner)
    await ask(`insert into decisions (time, request_id, revision, layer, subject_id, subject_role, token_id, network, action, resource_type, resource_code, relation, effect, rule, row_priority, status)
      select now() - make_interval(days => n), 'request "' || n || E'"\\n\\u2028é', n, 'object', nullif(n % 5, 0), 'editor', nullif('t', 't' || n % 2), '192.0.2.0/24', 'link:update', 'link',
             nullif('code', 'code' || n % 3), 'own', 'allow', 'R5', nullif(n % 3, 0), 200 from generate_series(1, 300) n`)
    // ids have gaps: a transaction that was rolled back used some
    await ask('delete from decisions where id % 7 = 0')
    const before = await ask(`select ${FIELDS} from decisions order by id`)
    await migrate({ owner, service, folder: new URL('migrations/', PACKAGE_ROOT) })
    expect(await ask(`select ${FIELDS} from decisions order by id`)).to.deep.equal(before)
    await ask(`insert into users (email, role) values ('later@example.com', 'viewer')`)
    const [newest] = await ask(`select max(id)::int as id from decisions`)
    expect(newest).to.deep.equal({ id: 301 })

    const pool = openPool({
      connection: { ...owner, user: service.user, password: service.password },
      size: 1,
      deadlineMs: 10_000,
    })
    const faults: LogFault[] = []
    const verdict = await verifyLog(pool, { keys: new Map(), onFault: (fault) => faults.push(fault) })
    await pool.close()
    expect({ ...verdict, found: faults }).to.deep.include({ entries: before.length + 1, found: [] })
    expect(before).to.have.length(258)
  })
})
