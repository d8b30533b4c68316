import { cp, rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { migrate } from '../../src/database/migrate.js'
import { withPool } from '../support/bare-database.js'
import type { AskDatabase } from '../support/bare-database.js'
import { cluster, createDatabase } from '../support/cluster.js'
import { BY_HAND } from '../support/records.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const SHIPPED = new URL('migrations/', PACKAGE_ROOT)

describe('the migration to visits by hour', () => {
  let ask: AskDatabase
  let run: (folder: URL) => Promise<readonly string[]>
  let link: string
  beforeEach(async () => {
    const { owner } = await createDatabase()
    const { service } = await cluster()
    ask = withPool(owner)
    run = (folder) => migrate({ owner, service, folder })
    const folder = pathToFileURL(`${await makeTemporaryFolder()}/`)
    await cp(SHIPPED, folder, { recursive: true })
    await rm(new URL('0028_visits_by_hour.sql', folder))
    await run(folder)
    const [made] = await ask<{ id: string }>(
      `with decided as (select set_config('app.decision', $1, false))
       insert into links (code, target) select 'a', 'https://example.com/' from decided returning id`,
      [BY_HAND],
    )
    link = made?.id ?? ''
  })

  /** As add_visits() of the version before ends: three visits of two kinds, the second one by a new visitor. */
  const insertOldBatch = () =>
    ask(
      `insert into added_visits (kinds, visits)
       values (array[row(null, 'DE', null, null, null, false, true), row(null, null, null, null, null, true, true)]
           ::visit_kind[],
         array[row($1, now() - interval '9 hours', 2, false), row($1, now() - interval '8 hours', 1, true),
           row($1, now(), 1, false)]::added_visit[])`,
      [link],
    )

  it('loses no batch of the version before, whether it waits by then or comes later', async () => {
    await insertOldBatch()
    expect(await run(SHIPPED)).to.deep.equal(['0028_visits_by_hour.sql'])
    // its call of add_visits() has begun before the new function was there
    await insertOldBatch()
    await ask('select count_visits()')
    expect(await ask('select visits::int, bots::int from visit_counts')).to.deep.equal([{ visits: 4, bots: 2 }])
    expect(
      await ask(
        `select round(extract(epoch from now() - time - moment * interval '1 millisecond') / 3600)::int as hours,
             country, bot, count(*)::int
           from visits, unnest(moments) moment group by 1, 2, 3 order by 1 desc`,
      ),
    ).to.deep.equal([
      { hours: 9, country: null, bot: true, count: 2 },
      { hours: 8, country: 'DE', bot: false, count: 2 },
      { hours: 0, country: 'DE', bot: false, count: 2 },
    ])
    expect(await ask('select sum(visitors)::int as visitors from visit_hours')).to.deep.equal([{ visitors: 2 }])
  })

  it('keeps the time of each single visit, and does not rewrite those of hours that are over', async () => {
    await ask(
      `insert into visits (time, link_id, bot)
       select now() - age * interval '1 hour', $1, false from unnest(array[0, 5, 50]) age`,
      [link],
    )
    const times = (time: string) => ask(`select ${time} as time from visits order by 1`)
    const rows = () => ask(`select ctid::text from visits where time < now() - interval '3 hours' order by time`)
    const [before, places] = [await times('time'), await rows()]
    await run(SHIPPED)
    expect(await times(`time + moments[1] * interval '1 millisecond'`)).to.deep.equal(before)
    expect(await rows()).to.deep.equal(places)
  })
})
