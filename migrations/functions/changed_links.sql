-- Tells caches which links changed. A change records the code in changed_links, and it is announced after the commit,
-- because PostgreSQL serializes the commits of transactions that notify (docs/decisions/0018).

-- Records both codes of a renamed link. A truncation is announced at once, as `*`: all links.
create or replace function notify_link_change() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    perform pg_notify('linkgate_links', '*');
    return null;
  end if;
  if tg_op <> 'INSERT' then
    insert into public.changed_links (code) values (old.code);
  end if;
  if tg_op = 'INSERT' or (tg_op = 'UPDATE' and new.code <> old.code) then
    insert into public.changed_links (code) values (new.code);
  end if;
  return null;
end $$;

-- all columns except `used`, which no cache holds
create or replace trigger notify_link_change after insert or delete or update of id, code, target, owner_id,
  created_at, updated_at, version, title, note, tags, status, active, starts_at, expires_at, max_visits, password_hash,
  has_password, forward_query on links
  for each row execute function notify_link_change();
create or replace trigger notify_links_gone after truncate on links
  for each statement execute function notify_link_change();

-- Announces the changes recorded and committed before this call; for more than 1,000 codes it announces `*`. Waits for
-- a running call.
create or replace function announce_changed_links() returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  codes text[];
begin
  with gone as (delete from public.changed_links returning code) select array_agg(distinct code) into codes from gone;
  if cardinality(codes) > 1000 then
    perform pg_notify('linkgate_links', '*');
  else
    perform pg_notify('linkgate_links', code) from unnest(codes) code;
  end if;
end $$;
revoke execute on function announce_changed_links from public;
