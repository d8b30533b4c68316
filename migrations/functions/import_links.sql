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
  perform setval('public.links_id_seq', upto) from public.links_id_seq s where s.last_value < upto;
end $$;
revoke execute on function reserve_link_ids from public;
