import type { Client } from 'pg'

import { StartError } from '../domain/start-error.js'
import { ADVISORY_LOCKS } from './advisory-locks.js'
import { betweenRequests, TABLE } from './apply-files.js'
import type { SqlFile } from './sql-files.js'

type Keys = readonly string[]

/**
 * Adopts databases of development versions, made by 28 numbered files that 0001 to 0012 now replace: the same schema,
 * but for a few leftovers. Delete this file, and its test, when no such database is left.
 */
export const FIRST_REPLACED = '0001_roles.sql 585570bbb7ca4ff9d7332b025b7e516bb0b35551d90d5d3d50291b396bb57280'
export const LAST_REPLACED = '0028_visits_by_hour.sql 2f7b7a2309541231813a068514b8cc32b0532fc79989d1b74611680cf8701e58'
const LAST_OF_BASELINE = '0012_job_runs.sql'

const LEFTOVERS = `
  drop trigger if exists take_old_batch on added_visits;
  drop function if exists take_old_batch(), enter_identity(), find_link(text);
  alter table added_visits drop column if exists visits;
  drop type if exists added_visit;
  -- older signatures, which stay if a migrator was killed before it applied the functions
  drop function if exists count_visits(), sign_in_lives(uuid), record_change(text, text, jsonb);`

/** The stored keys as they are after the adoption; `keys` itself if there is nothing to adopt. */
export const adoptedKeys = (files: readonly SqlFile[], keys: Keys): Keys => {
  if (!keys.includes(FIRST_REPLACED)) return keys
  if (!keys.includes(LAST_REPLACED))
    throw new StartError(
      'this database is older than commit 2be5eb4: run "linkgate migrate" of that commit first, then this version',
    )
  const baseline = files.filter(({ path }) => path <= LAST_OF_BASELINE).map(({ key }) => key)
  return [...keys.filter((key) => !/^\d/.test(key)), ...baseline]
}

/** Stores the keys of the baseline and drops the leftovers, in one transaction. Returns the keys then stored. */
export const adopt = async (client: Client, files: readonly SqlFile[], keys: Keys): Promise<Keys> => {
  const adopted = adoptedKeys(files, keys)
  if (adopted === keys) return keys
  const names = adopted.filter((key) => /^\d/.test(key)).map((key) => client.escapeLiteral(key))
  // sent as one query, these are one transaction; changes hold the policy lock, so none uses what is dropped
  const adoption = `
    select pg_advisory_xact_lock(${ADVISORY_LOCKS.policy});
    ${LEFTOVERS}
    with replaced as (delete from ${TABLE} where name ~ '^\\d' returning batch)
    insert into ${TABLE} (name, batch, migration_time)
      select name, (select max(batch) from replaced), now() from unnest(array[${names.join(', ')}]) name`
  await betweenRequests(client, () => client.query(adoption))
  return adopted
}
