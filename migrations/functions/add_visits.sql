-- Stores a batch of visits, which count_visits() counts soon.
--
-- `writer` and `batch` identify the batch: one that is sent again, because its commit was not confirmed, is ignored.
-- Each visit, the oldest first, has its link, its age in milliseconds, the number of its kind (from 1: what is known
-- about it), and the visitor's hash under the salt of `salt_day`, or null. A hash of another day than that of the
-- current salt is ignored; hashes are stored only in daily_visitors.
create or replace function add_visits(writer uuid, batch bigint, salt_day date, kinds jsonb, links bigint[],
    ages bigint[], kind_of integer[], visitors bigint[]) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.visit_writers as w (id, batch) values (writer, batch)
    on conflict (id) do update set batch = excluded.batch, wrote_at = now() where w.batch < excluded.batch;
  if not found then
    return;
  end if;

  with seen as materialized (
    select g.link, g.visitor, min(g.nth) as nth
      from unnest(links, visitors) with ordinality as g (link, visitor, nth)
     where g.visitor is not null and salt_day = (select s.day from public.visit_salt s)
     group by g.link, g.visitor
  ), fresh as (
    -- in a fixed order, so that two batches cannot deadlock
    insert into public.daily_visitors (link_id, visitor) select s.link, s.visitor from seen s order by 1, 2
    on conflict do nothing
    returning link_id, visitor
  )
  insert into public.added_visits (kinds, added_at, links, ages, kind_of, first_visits)
  select array(select k from jsonb_populate_recordset(null::public.visit_kind, add_visits.kinds) k),
      extract(epoch from clock_timestamp()) * 1000, add_visits.links, add_visits.ages, add_visits.kind_of,
      array(select s.nth from seen s join fresh f on f.link_id = s.link and f.visitor = s.visitor);
end $$;
call give_function('add_visits', 'visit_counter');

-- The visits of a batch. The planner expects many rows, unlike from unnest(), so it does not read them in nested loops.
create or replace function visits_of_batch(links bigint[], ages bigint[], kind_of integer[], first_visits integer[])
  returns table (link_id bigint, age bigint, nth_kind integer, is_new boolean)
  language plpgsql immutable rows 2000 as $$
begin
  return query select g.link, g.age, g.kind, f.nth is not null
    from unnest(links, ages, kind_of) with ordinality as g (link, age, kind, nth)
    left join unnest(first_visits) as f (nth) using (nth);
end $$;
revoke execute on function visits_of_batch from public;
grant execute on function visits_of_batch to visit_counter;

-- Takes the oldest `most_batches` of the added visits; those of one link in one hour that are alike share a row.
--
-- A function of its own, so that the planner expects many rows in count_visits() as well: by the statistics of a table
-- that is mostly empty it would expect one, and compare all links with all links.
create or replace function take_visits(most_batches integer) returns table (link_id bigint, link_exists boolean,
    owner_id bigint, hour integer, referrer text, country text, browser text, os text, device text, bot boolean,
    single boolean, visits bigint, bots bigint, visitors bigint, latest timestamptz, moments integer[])
  language plpgsql volatile rows 1000 as $$
#variable_conflict use_column
begin
  return query
  with batches as materialized (
    delete from public.added_visits a
     where a.id in (select b.id from public.added_visits b order by b.id limit most_batches) returning *
  ), kinds as materialized (
    -- across batches, the same kind gets one number
    select b.id as batch, k.*, dense_rank() over (order by referrer, country, browser, os, device, bot, single) as kind
      from batches b
     cross join lateral unnest(b.kinds) with ordinality k (referrer, country, browser, os, device, bot, single, nth)
  ), distinct_kinds as materialized (
    select distinct on (kind) * from kinds
  ), numbers as materialized (
    select batch as id, array_agg(kind order by nth) as of_nth from kinds group by batch
  ), given as materialized (
    select n.of_nth[v.nth_kind] as kind, v.link_id, b.added_at - v.age as at, v.is_new
      from batches b join numbers n using (id)
     cross join lateral public.visits_of_batch(b.links, b.ages, b.kind_of, b.first_visits) v
  )
  select g.link_id, l.id is not null, l.owner_id, g.hour, k.referrer, k.country, k.browser, k.os, k.device, k.bot,
      k.single, case when k.bot then 0 else g.count end, case when k.bot then g.count else 0 end,
      g.visitors, to_timestamp(g.latest / 1000.0), g.moments
    from (select kind, link_id, (at / 3600000)::integer as hour, count(*), count(*) filter (where is_new) as visitors,
              max(at) as latest, array_agg((at % 3600000)::integer) as moments
            from given group by 1, 2, 3) g
    join distinct_kinds k using (kind)
    -- here, and not in count_visits(): its statement has an older snapshot, which may lack a link that has visits
    left join lateral (
      select i.id, i.owner_id from public.links i where i.id = g.link_id
      union all select d.id, d.owner_id from public.deleted_links d where d.id = g.link_id) l on true;
end $$;
revoke execute on function take_visits from public;
grant execute on function take_visits to visit_counter;

-- Counts the added visits: single visits, totals and the numbers on the links, all of them or none, and exactly once.
-- Only one call runs at a time across all processes, so that none can deadlock over rows. Takes the oldest
-- `most_batches`, and returns how many visits those were; 0: none is left.
create or replace function count_visits(most_batches integer default 50) returns integer
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- at most so many referrers of a link in one hour; the rest is `other`
  most_referrers constant integer := 100;
  visited bigint[];
  taken integer;
begin
  perform pg_advisory_xact_lock(7274510);

  with alike as materialized (
    select * from public.take_visits(most_batches)
  ), counted as (
    insert into public.visit_counts as c (link_id, owner_id, counted_for, visits, bots, last_at)
    select a.link_id, a.owner_id, a.owner_id, sum(a.visits), sum(a.bots), max(a.latest) filter (where a.visits > 0)
      from alike a where a.link_exists group by a.link_id, a.owner_id
    on conflict (link_id) do update set visits = c.visits + excluded.visits, bots = c.bots + excluded.bots,
      last_at = greatest(c.last_at, excluded.last_at)
    returning c.link_id, c.counted_for
  ), asked as (
    select link_id, hour, referrer, row_number() over (partition by link_id, hour order by referrer) as nth
      from (select distinct link_id, hour, referrer from alike where referrer is not null) r
     where not exists (select from public.visit_values v where v.link_id = r.link_id and v.hour = r.hour
       and v.dimension = 'referrer' and v.value = r.referrer)
  ), too_many as materialized (
    select a.link_id, a.hour, a.referrer from asked a
     where a.nth > most_referrers - (select count(*) from public.visit_values v
       where v.link_id = a.link_id and v.hour = a.hour and v.dimension = 'referrer')
  ), hours as materialized (
    select a.link_id, c.counted_for, a.hour, sum(a.visits) as visits, sum(a.bots) as bots, sum(a.visitors) as visitors
      from alike a join counted c using (link_id) group by a.link_id, c.counted_for, a.hour
  ), parts as materialized (
    select a.link_id, c.counted_for, a.hour, d.dimension, coalesce(d.value, '') as value, sum(a.visits) as visits,
        sum(a.bots) as bots
      from alike a
      join counted c using (link_id)
      left join too_many t using (link_id, hour, referrer)
      cross join lateral (values
        ('referrer'::public.visit_dimension, case when t.link_id is null then a.referrer else 'other' end),
        ('country', a.country), ('browser', a.browser), ('os', a.os), ('device', a.device)) d (dimension, value)
     group by a.link_id, c.counted_for, a.hour, d.dimension, coalesce(d.value, '')
  ), of_links as (
    insert into public.visit_hours as h (link_id, hour, visits, bots, visitors)
    select link_id, hour, visits, bots, visitors from hours
    on conflict (link_id, hour) do update set visits = h.visits + excluded.visits, bots = h.bots + excluded.bots,
      visitors = h.visitors + excluded.visitors
  ), values_of_links as (
    insert into public.visit_values as v (link_id, hour, dimension, value, visits, bots)
    select link_id, hour, dimension, value, visits, bots from parts
    on conflict (link_id, hour, dimension, value) do update set visits = v.visits + excluded.visits,
      bots = v.bots + excluded.bots
  ), of_owners as (
    insert into public.owner_visit_hours as h (owner_id, hour, visits, bots, visitors)
    select o.id, x.hour, sum(x.visits), sum(x.bots), sum(x.visitors)
      from hours x cross join lateral (values (x.counted_for), (0)) o (id) where o.id is not null group by o.id, x.hour
    on conflict (owner_id, hour) do update set visits = h.visits + excluded.visits, bots = h.bots + excluded.bots,
      visitors = h.visitors + excluded.visitors
  ), values_of_owners as (
    insert into public.owner_visit_values as v (owner_id, hour, dimension, value, visits, bots)
    select o.id, x.hour, x.dimension, x.value, sum(x.visits), sum(x.bots)
      from parts x cross join lateral (values (x.counted_for), (0)) o (id) where o.id is not null
     group by o.id, x.hour, x.dimension, x.value
    on conflict (owner_id, hour, dimension, value) do update set visits = v.visits + excluded.visits,
      bots = v.bots + excluded.bots
  ), singles as (
    insert into public.visits (time, link_id, referrer, country, browser, os, device, bot, moments)
    select to_timestamp(a.hour * 3600.0), a.link_id, case when t.link_id is null then a.referrer else 'other' end,
        a.country, a.browser, a.os, a.device, a.bot, a.moments
      from alike a
      left join too_many t using (link_id, hour, referrer)
     where a.link_exists and a.single
  )
  select array(select distinct link_id from alike where visits > 0),
      (select coalesce(sum(visits + bots), 0) from alike) into visited, taken;

  perform public.announce_visits(visited);
  return taken;
end $$;
call give_function('count_visits', 'visit_counter');

-- Announces to every process which links were visited; `*` if there are too many for one notification (8,000 bytes).
create or replace function announce_visits(links bigint[]) returns void
  language sql volatile as $$
    select pg_notify('linkgate_visits',
      case when cardinality(links) > 300 then '*' else array_to_string(links, ',') end) where cardinality(links) > 0
  $$;
revoke execute on function announce_visits from public;
grant execute on function announce_visits to visit_counter;

-- The salt of this day (UTC), and for how many milliseconds it may be used without asking again: a minute at most,
-- since a crash of the server empties its table. The first call of a day creates a new one, and deletes the visitors
-- seen under the previous one. If a clock is set back over midnight, the salt stays; if it was days ahead, it does not.
create or replace function visit_day() returns table (day date, salt bytea, left_ms integer)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  today date := (clock_timestamp() at time zone 'UTC')::date;
begin
  -- before anything is read: whoever waits here holds no table that the first one empties. Not the lock of counting,
  -- which may be held for long: every process asks here once a minute before it writes.
  perform pg_advisory_xact_lock(7274512);
  if not exists (select from public.visit_salt where day between today and today + 1) then
    -- In the order of add_visits(): waits for batches under way, and none of them for this. Processes that have ended
    -- send no batch again. One may repeat its last batch after an outage of days.
    delete from public.visit_writers where wrote_at < now() - interval '30 days';
    truncate public.visit_salt, public.daily_visitors;
    insert into public.visit_salt values (today, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  end if;
  return query select s.day, s.salt, least(60000, greatest(1000, extract(epoch from
    ((s.day + 1)::timestamp at time zone 'UTC') - clock_timestamp()) * 1000))::integer from public.visit_salt s;
end $$;
revoke execute on function visit_day from public;

-- A link got a new owner: their lists include it at once, and its visits move to their totals soon (visit_upkeep.sql).
create or replace function note_new_owner() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- a count that still saw the previous owner ends first, so that its new row is found here
  perform pg_advisory_xact_lock(7274510);
  update public.visit_counts set owner_id = new.owner_id where link_id = new.id;
  return null;
end $$;
call give_function('note_new_owner', 'visit_counter');
create or replace trigger visits_change_owner after update of owner_id on links
  for each row when (old.owner_id is distinct from new.owner_id) execute function note_new_owner();
create or replace trigger visits_change_owner after update of owner_id on deleted_links
  for each row when (old.owner_id is distinct from new.owner_id) execute function note_new_owner();
