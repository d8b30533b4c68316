-- Makes sure that no new link is given an id up to this one, so that imported links can keep theirs (docs/import.md).
-- It waits for the changes of links that are under way, and holds new ones up while it runs: call it in a transaction
-- of its own. The bound keeps one number in a file from using up all ids.
create or replace function reserve_link_ids(upto bigint) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if upto > 1000000000000000 then
    raise exception 'no id above 10^15 can be reserved' using errcode = 'invalid_parameter_value';
  end if;
  lock table public.links in share row exclusive mode;
  perform setval('public.links_id_seq', upto) from public.links_id_seq s where s.last_value < upto;
end $$;
revoke execute on function reserve_link_ids from public;
