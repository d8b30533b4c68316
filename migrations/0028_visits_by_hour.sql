-- What PostgreSQL spends on a visit, by two thirds less: like visits of a link in one hour share a row, and a batch
-- waits as it was sent.
select pg_advisory_xact_lock(7274501);

do $$
begin
  -- batches that wait have the old form, which the function in force counts
  if exists (select from added_visits) then
    perform count_visits(2147483647);
  end if;
end $$;
alter table added_visits drop column visits,
  -- milliseconds since 1970
  add column added_at bigint not null,
  add column links bigint[] not null,
  -- in milliseconds, when it was added
  add column ages bigint[] not null,
  -- its number among the kinds, from 1
  add column kind_of integer[] not null,
  -- the numbers of the visits that are their visitor's first one of the link on that day
  add column first_visits integer[] not null;
-- they are there for seconds: compressing them would cost more than it saves
alter table added_visits alter column links set storage external, alter column ages set storage external,
  alter column kind_of set storage external;
drop function if exists visits_of_batch(added_visit[]);
drop type added_visit;

-- `time` is the beginning of their hour, and each visit came so many milliseconds later
alter table visits add column moments integer[];
update visits set time = to_timestamp(floor(extract(epoch from time) / 3600) * 3600),
  moments = array[(extract(epoch from time) % 3600 * 1000)::integer];
alter table visits alter column moments set not null;
