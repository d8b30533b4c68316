import type { Client } from 'pg'

import { openBenchDatabase } from './database.js'
import { measured } from './rates.js'
import type { Suite } from './report.js'
import { startLinkgate } from './server.js'

const LINKS = 1_000_000
const OWNERS = 1_000
const BATCH = 100_000
const TARGET = 80
/** So few of so many links that nearly each lies on pages of its own, in the table and in every index. */
const CHANGES = 1_000
const AT_ONCE = 16

const count = LINKS.toLocaleString('en')

/**
 * Links as the service makes them: codes without order, of 8 characters, so that the indexes are filled as by real
 * insertions; targets of one length, many owners. Past the triggers: their records are measured apart.
 */
const addLinks = async (client: Client): Promise<void> => {
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into users (email, role)
     select 'owner-' || n || '@example.com', 'editor' from generate_series(1, $1::int) n`,
    [OWNERS],
  )
  for (let from = 1; from <= LINKS; from += BATCH) {
    // in no order; the few that are alike are left out, and what is there is counted
    await client.query(
      `insert into links (code, target, owner_id)
      select substr(md5(n::text), 1, 8), rpad('https://example.com/' || n || '/', $3::int, 'path'),
             (select min(id) from users where email like 'owner-%') + n % $4::int
      from generate_series($1::int, $2::int) n on conflict do nothing`,
      [from, Math.min(LINKS, from + BATCH - 1), TARGET, OWNERS],
    )
  }
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze links')
}

/**
 * Copies of a record that the service itself made, each with a time and a request of its own; their hashes are of the
 * right size and no more.
 */
const addRecords = async (client: Client): Promise<void> => {
  for (let from = 1; from <= LINKS; from += BATCH) {
    await client.query(
      `insert into decisions select copied.*
      from decisions d, generate_series($1::int, $2::int) n, jsonb_populate_record(d, jsonb_build_object(
        'id', d.id + $4::int + n, 'time', d.time + n * interval '1 millisecond', 'request_id', gen_random_uuid(),
        'seq', d.seq + $4::int + n, 'subject_id', 1 + n % $3::int, 'resource_code', substr(md5(n::text), 1, 8))) copied
      where d.id = (select min(id) from decisions where action = 'link:update')`,
      [from, Math.min(LINKS, from + BATCH - 1), OWNERS, LINKS],
    )
  }
  await client.query('vacuum analyze decisions')
}

interface Part {
  readonly name: string
  readonly bytes: number
  readonly rows: number
}

/** What a table (with all its months) and each of its indexes take on disk. */
const partsOf = async (client: Client, table: string): Promise<readonly Part[]> => {
  const {
    rows: [{ rows: held } = { rows: Number.NaN }],
  } = await client.query<{ rows: number }>(`select count(*)::int as rows from ${table}`)
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `
    with leaves as (
      select oid as relid from pg_class where oid = $1::regclass and relkind = 'r'
      union all
      select relid from pg_partition_tree($1::regclass) where isleaf and relid <> $1::regclass
    )
    select 'the table' as name, sum(pg_table_size(relid)) as bytes, 0 as place from leaves
    union all
    -- one row for an index, however many partitions have it
    select replace(regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', ''), chr(10), '\\n'),
           sum(pg_relation_size(i.indexrelid)), 1
    from leaves join pg_index i on i.indrelid = relid group by 1
    union all
    select 'all of it', sum(pg_total_relation_size(relid)), 2 from leaves
    order by place, bytes desc`,
    [table],
  )
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes), rows: held }))
}

const suiteOf = (title: string, parts: readonly Part[]): Suite => ({
  title,
  baseline: 'all of it',
  unit: 'bytes',
  measured: parts.map(({ name, bytes, rows }) => measured(name, [bytes / rows])),
})

/** What a link, a decision's record and a change take on disk and in the write-ahead log. */
export const storageSuites = async (): Promise<readonly Suite[]> => {
  const database = await openBenchDatabase()
  const { client, editor, authorizationOf } = database
  const linkgate = await startLinkgate(database.environment())
  try {
    await addLinks(client)
    const links = await partsOf(client, 'links')
    // from all over the table, each as it was inserted, and changed by its owner
    const { rows } = await client.query<{ code: string; owner: string }>(
      'select code, owner_id as owner from links order by md5(code) limit $1',
      [CHANGES],
    )
    const changed = await Promise.all(
      rows.map(async ({ code, owner }) => ({ code, authorization: await authorizationOf(owner) })),
    )

    const send = async (
      method: string,
      path: string,
      authorization: string | undefined,
      body: object,
      status: number,
    ) => {
      const response = await fetch(`${linkgate.url}${path}`, {
        method,
        headers: { authorization: authorization ?? '', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      await response.arrayBuffer()
      if (response.status !== status) throw new Error(`${method} ${path}: ${response.status}`)
    }
    const loggedBy = async (request: (i: number) => Promise<void>): Promise<number> => {
      const at = async () =>
        (await client.query<{ at: string }>("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as at")).rows[0]?.at
      const before = Number(await at())
      for (let i = 0; i < CHANGES; i += AT_ONCE)
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, CHANGES - i) }, (_, k) => request(i + k)))
      return (Number(await at()) - before) / CHANGES
    }
    const target = (mark: string, i: number) => `https://example.com/${mark}/${i}/`.padEnd(TARGET, 'path')
    const change = (mark: string) =>
      loggedBy((i) =>
        send('PATCH', `/links/${changed[i]?.code}`, changed[i]?.authorization, { target: target(mark, i) }, 200),
      )

    await client.query('checkpoint')
    const fresh = await change('first')
    const again = await change('again')
    const made = await loggedBy((i) => send('POST', '/links', editor.authorization, { target: target('made', i) }, 201))
    await addRecords(client)
    return [
      suiteOf(`Disk: a link, of ${count} (target of ${TARGET} characters)`, links),
      suiteOf(`Disk: a decision's record, of ${count}`, await partsOf(client, 'decisions')),
      {
        title: 'Write-ahead log of a change, with its record',
        baseline: 'PATCH, its pages logged since the checkpoint',
        unit: 'bytes',
        measured: [
          measured('PATCH, its pages logged since the checkpoint', [again]),
          measured('PATCH, the first after a checkpoint', [fresh]),
          measured('POST', [made]),
        ],
      },
    ]
  } finally {
    await linkgate.stop()
    await database.close()
  }
}
