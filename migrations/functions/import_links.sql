-- Reserves the ids up to this one, so that no new link gets them and imported links can keep theirs (docs/import.md).
-- It waits for running changes of links, and blocks new ones while it runs, so call it in its own transaction. The
-- bound keeps one number in a file from using up all ids.
create or replace function reserve_link_ids(upto bigint) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if upto > 1000000000000000 then
    raise exception 'no id above 10^15 can be reserved' using errcode = 'invalid_parameter_value';
  end if;
  lock table public.links in share row exclusive mode;
  -- of a sequence that was never used, the last value is still free
  perform setval('public.links_id_seq', upto) from public.links_id_seq s
   where s.last_value < upto or (s.last_value = upto and not s.is_called);
end $$;
revoke execute on function reserve_link_ids from public;

-- Gathers the planner's statistics of links. Until they are there (autovacuum takes minutes), the planner assumes that
-- an owner has few links, and a search reads all of them.
create or replace function analyze_links() returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  analyze public.links;
end $$;
revoke execute on function analyze_links from public;

-- Which of these ids still have visits, of links that were deleted for good: an imported link must not inherit them.
create or replace function link_ids_with_visits(ids bigint[]) returns setof bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select c.link_id from public.visit_counts c where c.link_id = any(ids)
  $$;
call give_function('link_ids_with_visits', 'visit_counter');
grant execute on function link_ids_with_visits to identity;
