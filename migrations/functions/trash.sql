-- One deleted link by its id, for restoring it: the layers decide about it as about every other record.
create or replace function find_deleted_link(wanted bigint)
  returns table (id bigint, code text, target text, owner_id bigint, created_at timestamptz, updated_at timestamptz,
    version bigint, title text, note text, tags text[], status smallint, active boolean, starts_at timestamptz,
    expires_at timestamptz, max_visits integer, used integer, has_password boolean, forward_query boolean)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select d.id, d.code, d.target, d.owner_id, d.created_at, d.updated_at, d.version, d.title, d.note, d.tags, d.status,
        d.active, d.starts_at, d.expires_at, d.max_visits, d.used, d.has_password, d.forward_query
      from public.deleted_links d where d.id = wanted
  $$;
call give_function('find_deleted_link', 'links_public');

-- Permanently deletes links that have been in the trash for so many days, oldest first, at most 10,000; returns how
-- many.
create or replace function purge_deleted_links(days integer) returns integer
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  purged integer;
begin
  delete from public.deleted_links d where d.id in (
    select o.id from public.deleted_links o where o.deleted_at < now() - make_interval(days => greatest(days, 0))
     order by o.deleted_at, o.id limit 10000);
  get diagnostics purged = row_count;
  return purged;
end $$;
call give_function('purge_deleted_links', 'links_public');
