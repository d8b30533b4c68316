-- Gives links to another owner, and returns them. Row-level security lets nobody write a row that they cannot see
-- afterwards, so this bypasses it, for the links that the role of the transaction reaches. Each is recorded
-- (record_decision.sql).
create or replace function give_links(ids bigint[], new_owner bigint)
  returns table (id bigint, code text, target text, owner_id bigint, created_at timestamptz, updated_at timestamptz,
    version bigint, title text, note text, tags text[], status smallint, active boolean, starts_at timestamptz,
    expires_at timestamptz, max_visits integer, used integer, has_password boolean, forward_query boolean)
  language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
    update public.links l set owner_id = new_owner, updated_at = now(), version = l.version + 1
     where l.id = any(ids) and (current_setting('role') = 'links_any'
        or l.owner_id = nullif(current_setting('app.user_id', true), '')::bigint)
    returning l.id, l.code, l.target, l.owner_id, l.created_at, l.updated_at, l.version, l.title, l.note, l.tags,
      l.status, l.active, l.starts_at, l.expires_at, l.max_visits, l.used, l.has_password, l.forward_query
  $$;
call give_function('give_links', 'links_public');
grant execute on function give_links to links_own, links_any;
