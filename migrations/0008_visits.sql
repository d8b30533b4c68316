-- Visits of links (docs/visits.md): each single one for VISIT_DAYS, and totals for good. No address and no user agent
-- is stored anywhere.

-- Visits wait here, a batch a row, until count_visits() adds them to the totals: about a second's at once, so that
-- those of one link in one hour change each total once.
create type visit_kind as (
  referrer text,
  country  text,
  browser  text,
  os       text,
  device   text,
  bot      boolean,
  -- it is kept by itself, too
  single   boolean
);
create table added_visits (
  id           bigint generated always as identity primary key,
  -- milliseconds since 1970
  added_at     bigint not null,
  kinds        visit_kind[] not null,
  -- of each visit: its link, its age in milliseconds when it was added, and its number among the kinds, from 1
  links        bigint[] not null,
  ages         bigint[] not null,
  kind_of      integer[] not null,
  -- the numbers of the visits that are their visitor's first one of the link on that day
  first_visits integer[] not null
);
-- they are there for seconds: compressing them would cost more than it saves
alter table added_visits alter column links set storage external, alter column ages set storage external,
  alter column kind_of set storage external;

-- The last batch of each process, so that one that comes again is not counted again.
create table visit_writers (
  id       uuid primary key,
  batch    bigint not null,
  wrote_at timestamptz not null default now()
) with (fillfactor = 50);

-- The salt of the day, in one row that is overwritten, and who was seen under it. Unlogged: no backup and no replica
-- has them.
create unlogged table visit_salt (day date not null, salt bytea not null);
create unlogged table daily_visitors (link_id bigint not null, visitor bigint not null, primary key (link_id, visitor));

-- Single visits; those of a link in one hour that are alike share a row. Months are added ahead and dropped when they
-- are over (functions/visit_upkeep.sql).
create table visits (
  -- the beginning of their hour
  time     timestamptz(3) not null,
  link_id  bigint not null,
  -- how many milliseconds later each of them came
  moments  integer[] not null,
  -- the host alone; `other` beyond what a link may have in an hour
  referrer text,
  country  text,
  browser  text,
  os       text,
  device   text,
  bot      boolean not null
) partition by range (time);
create index visits_of_link on visits (link_id, time);
create table visits_default partition of visits default;

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
grant select, insert, delete on added_visits to visit_counter;
grant select, insert, update, delete on visit_writers to visit_counter;
grant select on visit_salt to visit_counter;
grant select, insert on daily_visitors to visit_counter;
