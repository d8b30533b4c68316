-- Links by their codes, for anybody: row-level security cannot express "only by code", but a function can. Never
-- returns the hash of a password (take_visit.sql).
create or replace function find_links(codes text[])
  returns table (id bigint, code text, target text, owner_id bigint, created_at timestamptz, updated_at timestamptz,
    version bigint, title text, note text, tags text[], status smallint, active boolean, starts_at timestamptz,
    expires_at timestamptz, max_visits integer, used integer, has_password boolean, forward_query boolean)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select l.id, l.code, l.target, l.owner_id, l.created_at, l.updated_at, l.version, l.title, l.note, l.tags, l.status,
        l.active, l.starts_at, l.expires_at, l.max_visits, l.used, l.has_password, l.forward_query
      from public.links l where l.code = any(codes)
  $$;
call give_function('find_links', 'links_public');
