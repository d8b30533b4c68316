-- Visits of links (docs/visits.md): each single one for VISIT_DAYS, and totals for good. No address and no user agent
-- is stored anywhere. Changes wait while the tables change.
select pg_advisory_xact_lock(7274501);

-- Nobody becomes this role: it owns the functions that count visits.
do $$
begin
  begin
    create role visit_counter nologin noinherit;
  exception when duplicate_object or unique_violation then
    null;
  end;
  execute 'grant visit_counter to current_user';
  execute 'grant usage on schema public to visit_counter';
end $$;

-- Single visits. Months are added ahead and dropped when they are over (functions/visit_upkeep.sql).
create table visits (
  time     timestamptz(3) not null,
  link_id  bigint not null,
  -- the host alone; `other` beyond what a link may have in an hour
  referrer text,
  country  text,
  browser  text,
  os       text,
  device   text,
  bot      boolean not null
) partition by range (time);
create table visits_default partition of visits default;
create index visits_of_link on visits (link_id, time);

-- Totals. An hour is counted from 1970 in UTC. Of a day that is older than 35 days only the sum is kept, at its
-- twelfth hour, so that it falls into that day in nearly every time zone.
create type visit_dimension as enum ('referrer', 'country', 'browser', 'os', 'device');
create table visit_hours (
  link_id  bigint not null,
  hour     integer not null,
  visits   integer not null,
  bots     integer not null,
  -- whose first visit of the link on that day it was
  visitors integer not null,
  primary key (link_id, hour)
) with (fillfactor = 80);
create index visit_hours_whole on visit_hours (hour) where hour % 24 <> 12;
create table visit_values (
  link_id   bigint not null,
  hour      integer not null,
  dimension visit_dimension not null,
  -- empty where nothing is known
  value     text collate "C" not null,
  visits    integer not null,
  bots      integer not null,
  primary key (link_id, hour, dimension, value)
) with (fillfactor = 80);

-- The same for all links of an owner; of owner 0 for all links there are.
create table owner_visit_hours (
  owner_id bigint not null,
  hour     integer not null,
  visits   integer not null,
  bots     integer not null,
  visitors integer not null,
  primary key (owner_id, hour)
) with (fillfactor = 50);
create index owner_visit_hours_whole on owner_visit_hours (hour) where hour % 24 <> 12;
create table owner_visit_values (
  owner_id  bigint not null,
  hour      integer not null,
  dimension visit_dimension not null,
  value     text collate "C" not null,
  visits    integer not null,
  bots      integer not null,
  primary key (owner_id, hour, dimension, value)
) with (fillfactor = 50);

-- The numbers that a link shows, for links that were visited.
create table visit_counts (
  link_id     bigint primary key,
  -- whose the link is, for lists in this order
  owner_id    bigint,
  -- in whose totals its visits are; the owner before, until they are moved
  counted_for bigint,
  visits      bigint not null,
  bots        bigint not null,
  last_at     timestamptz(3)
) with (fillfactor = 70);
create index visit_counts_of_owner on visit_counts (owner_id, visits, link_id);
create index visit_counts_most on visit_counts (visits, link_id);
create index visit_counts_unsettled on visit_counts (link_id) where counted_for is distinct from owner_id;

-- The salt of the day, in one row that is overwritten, and who was seen under it. Unlogged: no backup and no replica
-- has them.
create unlogged table visit_salt (day date not null, salt bytea not null);
create unlogged table daily_visitors (link_id bigint not null, visitor bigint not null, primary key (link_id, visitor));

-- The last batch of each process, so that one that comes again is not counted again.
create table visit_writers (
  id       uuid primary key,
  batch    bigint not null,
  wrote_at timestamptz not null default now()
) with (fillfactor = 50);

-- Row-level security through the link: whoever sees the link's row sees its visits.
do $$
declare
  name text;
begin
  foreach name in array array['visits', 'visit_hours', 'visit_values', 'visit_counts', 'owner_visit_hours',
      'owner_visit_values'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy %I on %I to visit_counter using (true)', name || '_counter', name);
    execute format('create policy %I on %I for select to links_any using (true)', name || '_any', name);
    execute format('create policy %I on %I for select to links_own using (%s)', name || '_own', name,
      case when name like 'owner_%'
        then $own$owner_id = (select nullif(current_setting('app.user_id', true), '')::bigint)$own$
        when name = 'visit_counts' then 'exists (select from links l where l.id = visit_counts.link_id)
          or exists (select from deleted_links d where d.id = visit_counts.link_id)'
        else format('exists (select from links l where l.id = %I.link_id)', name) end);
    execute format('grant select on %I to links_own, links_any', name);
    execute format('grant select, insert, update, delete on %I to visit_counter', name);
  end loop;
end $$;
grant select, insert on daily_visitors to visit_counter;
grant select, insert, update, delete on visit_writers to visit_counter;
grant select on visit_salt to visit_counter;
grant select (id, owner_id) on links, deleted_links to visit_counter;
create policy links_counter on links for select to visit_counter using (true);
create policy deleted_links_counter on deleted_links for select to visit_counter using (true);
grant select (id) on users to visit_counter;
create policy users_counter on users for select to visit_counter using (true);
