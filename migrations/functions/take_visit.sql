-- Counts a redirect of a link with max_visits before the visitor gets it: never one above max_visits, however many ask
-- at once. `seen` is the version that the redirect is based on. Returns `taken`, `used up`, or `changed`: then the link
-- is no longer that version, and nothing was counted.
create or replace function take_visit(link bigint, seen bigint) returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.links l set used = l.used + 1 where l.id = link and l.version = seen and l.used < l.max_visits;
  if found then
    return 'taken';
  end if;
  -- a separate statement, so that it sees what was committed while the one above waited
  return case when exists (
    select from public.links l where l.id = link and l.version = seen and l.used >= l.max_visits)
    then 'used up' else 'changed' end;
end $$;
call give_function('take_visit', 'links_public');

-- The password hash of a link and its version, to check a visitor's password.
create or replace function link_password(link bigint) returns table (version bigint, password_hash text)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select l.version, l.password_hash from public.links l where l.id = link
  $$;
call give_function('link_password', 'links_public');
