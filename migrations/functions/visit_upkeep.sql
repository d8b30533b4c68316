-- Background work in small steps (src/jobs/). Each function returns how much it did; 0: nothing is left.

-- Drops the months of visits whose visits are all older than so many days.
create or replace function drop_visit_months(days integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  month text;
begin
  for month in
    select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'public.visits'::regclass and c.relname ~ '^visits_\d{4}_\d\d$'
       and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC'
           <= now() - make_interval(days => greatest(days, 0))
  loop
    perform pg_advisory_xact_lock(7274510);
    -- an export may read for minutes; counting must not wait behind it, and the next run tries again
    perform set_config('lock_timeout', '200ms', true);
    execute format('drop table public.%I', month);
  end loop;
end $$;
revoke execute on function drop_visit_months from public;

-- Removes single visits whose whole hour is older than so many days, 10,000 rows at a time. `skip locked`: another
-- process may be deleting those of a link in another order (forget_visits), and the two would deadlock.
create or replace function expire_visits(days integer) returns integer
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  expired integer;
begin
  delete from public.visits v using (
    select o.tableoid, o.ctid from public.visits o
     where o.time < now() - make_interval(days => greatest(days, 0), hours => 1) limit 10000
     for update skip locked) old
   where v.tableoid = old.tableoid and v.ctid = old.ctid;
  get diagnostics expired = row_count;
  return expired;
end $$;
call give_function('expire_visits', 'visit_counter');

-- Merges the hours of days older than so many days into one hour, the twelfth, for 20 days of links or owners.
create or replace function sum_visit_days(days integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before integer := (extract(epoch from date_trunc('day', now() at time zone 'UTC')) / 3600)::integer - 24 * days;
  whose text;
  summed integer := 0;
  done integer;
begin
  perform pg_advisory_xact_lock(7274510);
  foreach whose in array array['', 'owner_'] loop
    execute format($sum$
      with days as materialized (
        select distinct %1$I as id, hour / 24 * 24 as first from (
          select %1$I, hour from public.%2$I where hour %% 24 <> 12 and hour < $1 limit 480) h limit 20
      ), gone as (
        delete from public.%2$I h using days d where h.%1$I = d.id and h.hour between d.first and d.first + 23
        returning h.*
      ), gone_values as (
        delete from public.%3$I v using days d where v.%1$I = d.id and v.hour between d.first and d.first + 23
        returning v.*
      ), added as (
        insert into public.%2$I (%1$I, hour, visits, bots, visitors)
        select %1$I, hour / 24 * 24 + 12, sum(visits), sum(bots), sum(visitors) from gone group by 1, 2
        -- no zeros: they are what is left of a link that was given away or deleted before its own day was merged
        having sum(visits) <> 0 or sum(bots) <> 0 or sum(visitors) <> 0
      ), added_values as (
        insert into public.%3$I (%1$I, hour, dimension, value, visits, bots)
        select %1$I, hour / 24 * 24 + 12, dimension, value, sum(visits), sum(bots) from gone_values group by 1, 2, 3, 4
        having sum(visits) <> 0 or sum(bots) <> 0
      )
      select count(*) from days
    $sum$, case whose when '' then 'link_id' else 'owner_id' end, whose || 'visit_hours', whose || 'visit_values')
      into done using before;
    summed := summed + done;
  end loop;
  return summed;
end $$;
call give_function('sum_visit_days', 'visit_counter');

-- Adds a link's counts to the totals of one owner, multiplied by `times` (-1 subtracts them). Nothing stays of a value
-- that only this link had, such as the host of a referrer.
create or replace function add_visits_of_link(link bigint, owner bigint, times integer) returns void
  language sql volatile set search_path = pg_catalog, pg_temp as $$
    insert into public.owner_visit_hours as o (owner_id, hour, visits, bots, visitors)
    select owner, h.hour, times * h.visits, times * h.bots, times * h.visitors
      from public.visit_hours h where h.link_id = link and owner is not null
    on conflict (owner_id, hour) do update set visits = o.visits + excluded.visits, bots = o.bots + excluded.bots,
      visitors = o.visitors + excluded.visitors;
    insert into public.owner_visit_values as o (owner_id, hour, dimension, value, visits, bots)
    select owner, v.hour, v.dimension, v.value, times * v.visits, times * v.bots
      from public.visit_values v where v.link_id = link and owner is not null
    on conflict (owner_id, hour, dimension, value) do update set visits = o.visits + excluded.visits,
      bots = o.bots + excluded.bots;
    delete from public.owner_visit_hours o using public.visit_hours h
     where times < 0 and h.link_id = link and o.owner_id = owner and o.hour = h.hour
       and o.visits = 0 and o.bots = 0 and o.visitors = 0;
    delete from public.owner_visit_values o using public.visit_values v
     where times < 0 and v.link_id = link and o.owner_id = owner and o.hour = v.hour
       and o.dimension = v.dimension and o.value = v.value and o.visits = 0 and o.bots = 0;
  $$;
revoke execute on function add_visits_of_link from public;
grant execute on function add_visits_of_link to visit_counter;

-- Moves the visits of a link that changed owners from the previous owner's totals to the new owner's.
create or replace function move_visits() returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  moved record;
begin
  perform pg_advisory_xact_lock(7274510);
  select c.link_id, c.owner_id, c.counted_for into moved from public.visit_counts c
   where c.counted_for is distinct from c.owner_id and c.link_id = (
     -- any of them: a link whose step fails must not hold up the others
     select u.link_id from (select w.link_id from public.visit_counts w
       where w.counted_for is distinct from w.owner_id limit 100) u order by random() limit 1) for update;
  if not found then
    return 0;
  end if;
  perform public.add_visits_of_link(moved.link_id, moved.counted_for, -1),
    public.add_visits_of_link(moved.link_id, moved.owner_id, 1);
  update public.visit_counts c set counted_for = moved.owner_id where c.link_id = moved.link_id;
  return 1;
end $$;
call give_function('move_visits', 'visit_counter');

-- Deletes the visits of permanently deleted links, also from their owners' totals, and the totals of deleted owners.
-- Links with few visits come first, at most 100 with 10,000 visits together; a busier link takes several steps.
create or replace function forget_visits() returns integer
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  links bigint[];
  owners bigint[];
  singles integer;
begin
  perform pg_advisory_xact_lock(7274510);
  links := array(
    select s.link_id from (
      select g.link_id, row_number() over fewest as nth, sum(g.visits) over fewest as together from (
        select c.link_id, c.visits + c.bots as visits from public.visit_counts c
         where not exists (select from public.links l where l.id = c.link_id)
           and not exists (select from public.deleted_links d where d.id = c.link_id) limit 100) g
      window fewest as (order by g.visits, g.link_id)) s
     where s.nth = 1 or s.together <= 10000);
  delete from public.visits v using (
    select o.tableoid, o.ctid from public.visits o where o.link_id = any(links) limit 10000) gone
   where v.tableoid = gone.tableoid and v.ctid = gone.ctid;
  get diagnostics singles = row_count;
  if singles = 10000 then
    return singles;
  end if;
  perform public.add_visits_of_link(c.link_id, c.counted_for, -1), public.add_visits_of_link(c.link_id, 0, -1)
     from public.visit_counts c where c.link_id = any(links);
  delete from public.visit_hours h where h.link_id = any(links);
  delete from public.visit_values v where v.link_id = any(links);
  delete from public.visit_counts c where c.link_id = any(links);

  owners := array(select distinct h.owner_id from public.owner_visit_hours h
     where h.owner_id <> 0 and not exists (select from public.users u where u.id = h.owner_id) limit 100);
  delete from public.owner_visit_hours h where h.owner_id = any(owners);
  delete from public.owner_visit_values v where v.owner_id = any(owners);
  return cardinality(links) + cardinality(owners);
end $$;
call give_function('forget_visits', 'visit_counter');
