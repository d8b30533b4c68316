-- Makes visits cheaper for PostgreSQL: like visits of a link in one hour share a row, and a batch waits as it was sent.
select pg_advisory_xact_lock(7274501);

alter table added_visits alter column visits drop not null,
  -- milliseconds since 1970
  add column added_at bigint,
  add column links bigint[],
  -- in milliseconds, when it was added
  add column ages bigint[],
  -- its number among the kinds, from 1
  add column kind_of integer[],
  -- the numbers of the visits that are their visitor's first one of the link on that day
  add column first_visits integer[];
-- they are there for seconds: compressing them would cost more than it saves
alter table added_visits alter column links set storage external, alter column ages set storage external,
  alter column kind_of set storage external;

-- A batch in the old form. The function before this version writes it until its file is applied, also in calls that
-- have begun by then; an error would make processes of that version drop the batch.
create function take_old_batch() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.added_at := extract(epoch from clock_timestamp()) * 1000;
  select array_agg(v.link_id), array_agg(new.added_at - (extract(epoch from v.time) * 1000)::bigint),
      array_agg(v.kind), coalesce(array_agg(v.nth::integer) filter (where v.is_new), '{}')
    into new.links, new.ages, new.kind_of, new.first_visits
    from unnest(new.visits) with ordinality as v (link_id, time, kind, is_new, nth);
  new.visits := null;
  return new;
end $$;
revoke execute on function take_old_batch from public;
create trigger take_old_batch before insert on added_visits
  for each row when (new.visits is not null) execute function take_old_batch();
with waiting as (
  delete from added_visits returning id, kinds, visits
)
insert into added_visits (kinds, visits) select kinds, visits from waiting order by id;
alter table added_visits alter column added_at set not null, alter column links set not null,
  alter column ages set not null, alter column kind_of set not null, alter column first_visits set not null;
-- so that the previous count_visits() fails, and counts no batch of the new form as an empty one
drop function if exists visits_of_batch(added_visit[]);

-- `time` is the beginning of their hour, and each visit came so many milliseconds later. Older rows stay as they are: a
-- visit each, at its time. Changes wait for this migration, so only hours that may get further visits are rewritten,
-- for their order.
alter table visits add column moments integer[] not null default '{0}';
alter table visits alter column moments drop default;
update visits set time = to_timestamp(floor(extract(epoch from time) / 3600) * 3600),
    moments = array[(extract(epoch from time) % 3600 * 1000)::integer]
 where time >= to_timestamp(floor(extract(epoch from now()) / 3600) * 3600 - 3600);
