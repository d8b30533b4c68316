-- Counts a batch of visits: single visits, totals and the numbers on the links, all of them or none. One batch at a
-- time over all processes, so that none waits for rows of another in another order.
--
-- `writer` and `batch` name the batch: one that comes again, because nobody heard of its commit, is not counted again.
-- Each visit has its link, its age in milliseconds, what is known of it, and the visitor's hash under the salt of
-- `salt_day`. A hash of another day than the salt that is in force now is ignored. `single`: it is kept by itself, too.
create or replace function add_visits(writer uuid, batch bigint, salt_day date, seen jsonb) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- referrers of a link in one hour; the rest is `other`
  most_referrers constant integer := 100;
begin
  perform pg_advisory_xact_lock(7274510);
  insert into public.visit_writers as w (id, batch) values (writer, batch)
    on conflict (id) do update set batch = excluded.batch, wrote_at = now() where w.batch < excluded.batch;
  if not found then
    return;
  end if;

  with given as materialized (
    select s.*, clock_timestamp() - make_interval(secs => s.age / 1000.0) as time,
        row_number() over (partition by s.link, s.visitor order by s.age desc) as nth
      from jsonb_to_recordset(seen) as s (link bigint, age bigint, referrer text, country text, browser text, os text,
        device text, bot boolean, single boolean, visitor text)
  ), links as materialized (
    select l.id, l.owner_id from public.links l where l.id in (select link from given)
    union all
    select d.id, d.owner_id from public.deleted_links d where d.id in (select link from given)
  ), counted as (
    insert into public.visit_counts as c (link_id, owner_id, counted_for, visits, bots, last_at)
    select l.id, l.owner_id, l.owner_id, count(*) filter (where not g.bot), count(*) filter (where g.bot),
        max(g.time) filter (where not g.bot)
      from given g join links l on l.id = g.link group by l.id, l.owner_id
    on conflict (link_id) do update set visits = c.visits + excluded.visits, bots = c.bots + excluded.bots,
      last_at = greatest(c.last_at, excluded.last_at)
    returning c.link_id, c.counted_for
  ), fresh as (
    insert into public.daily_visitors (link_id, visitor)
    select g.link, ('x' || g.visitor)::bit(64)::bigint from given g join links l on l.id = g.link
     where g.visitor is not null and not g.bot and g.nth = 1 and salt_day = (select s.day from public.visit_salt s)
    on conflict do nothing
    returning link_id, visitor
  ), hourly as materialized (
    select g.*, c.counted_for, floor(extract(epoch from g.time) / 3600)::integer as hour,
        f.visitor is not null as is_new
      from given g
      join counted c on c.link_id = g.link
      left join fresh f on g.nth = 1 and f.link_id = g.link and f.visitor = ('x' || g.visitor)::bit(64)::bigint
  ), asked as (
    select link, hour, referrer, row_number() over (partition by link, hour order by referrer) as nth
      from (select distinct link, hour, referrer from hourly where referrer is not null) r
     where not exists (select from public.visit_values v where v.link_id = r.link and v.hour = r.hour
       and v.dimension = 'referrer' and v.value = r.referrer)
  ), too_many as (
    select a.link, a.hour, a.referrer from asked a
     where a.nth > most_referrers - (select count(*) from public.visit_values v
       where v.link_id = a.link and v.hour = a.hour and v.dimension = 'referrer')
  ), known as materialized (
    select h.link, h.time, h.hour, h.counted_for, h.country, h.browser, h.os, h.device, h.bot, h.single, h.is_new,
        case when t.link is null then h.referrer else 'other' end as referrer
      from hourly h left join too_many t on t.link = h.link and t.hour = h.hour and t.referrer = h.referrer
  ), hours as materialized (
    select link, counted_for, hour, count(*) filter (where not bot) as visits, count(*) filter (where bot) as bots,
        count(*) filter (where is_new) as visitors
      from known group by link, counted_for, hour
  ), parts as materialized (
    select k.link, k.counted_for, k.hour, d.dimension, coalesce(d.value, '') as value,
        count(*) filter (where not k.bot) as visits, count(*) filter (where k.bot) as bots
      from known k cross join lateral (values ('referrer'::public.visit_dimension, k.referrer), ('country', k.country),
        ('browser', k.browser), ('os', k.os), ('device', k.device)) d (dimension, value)
     group by k.link, k.counted_for, k.hour, d.dimension, coalesce(d.value, '')
  ), of_links as (
    insert into public.visit_hours as h (link_id, hour, visits, bots, visitors)
    select link, hour, visits, bots, visitors from hours
    on conflict (link_id, hour) do update set visits = h.visits + excluded.visits, bots = h.bots + excluded.bots,
      visitors = h.visitors + excluded.visitors
  ), values_of_links as (
    insert into public.visit_values as v (link_id, hour, dimension, value, visits, bots)
    select link, hour, dimension, value, visits, bots from parts
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
  )
  insert into public.visits (time, link_id, referrer, country, browser, os, device, bot)
  select k.time, k.link, k.referrer, k.country, k.browser, k.os, k.device, k.bot from known k where k.single;

  perform public.announce_visits(array(
    select distinct s.link from jsonb_to_recordset(seen) as s (link bigint, bot boolean) where not s.bot));
end $$;
call give_function('add_visits', 'visit_counter');

-- Tells every process which links were visited; `*` where they are too many for one notification (8,000 bytes).
create or replace function announce_visits(links bigint[]) returns void
  language sql volatile as $$
    select pg_notify('linkgate_visits',
      case when cardinality(links) > 300 then '*' else array_to_string(links, ',') end)
  $$;
revoke execute on function announce_visits from public;
grant execute on function announce_visits to visit_counter;

-- The salt of this day (UTC), and for how many milliseconds it will be. The first call of a day makes a new one, and
-- forgets who was seen under the one before. A clock that is set back keeps the salt.
create or replace function visit_day() returns table (day date, salt bytea, left_ms integer)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  today date := (clock_timestamp() at time zone 'UTC')::date;
begin
  if not exists (select from public.visit_salt where day >= today) then
    -- waits for a batch under way, and lets no other begin
    perform pg_advisory_xact_lock(7274510);
    if not exists (select from public.visit_salt where day >= today) then
      truncate public.visit_salt, public.daily_visitors;
      insert into public.visit_salt values (today, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
    end if;
  end if;
  return query select s.day, s.salt, greatest(1000, extract(epoch from
    ((s.day + 1)::timestamp at time zone 'UTC') - clock_timestamp()) * 1000)::integer from public.visit_salt s;
end $$;
revoke execute on function visit_day from public;

-- A link with another owner: lists show it with theirs at once, and its visits move to theirs soon (visit_upkeep.sql).
create or replace function note_new_owner() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.visit_counts set owner_id = new.owner_id where link_id = new.id;
  return null;
end $$;
call give_function('note_new_owner', 'visit_counter');
create or replace trigger visits_change_owner after update of owner_id on links
  for each row when (old.owner_id is distinct from new.owner_id) execute function note_new_owner();
create or replace trigger visits_change_owner after update of owner_id on deleted_links
  for each row when (old.owner_id is distinct from new.owner_id) execute function note_new_owner();
