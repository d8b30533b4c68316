-- One link by its code, for anybody: row-level security cannot say "by code only", a function can.
create or replace function find_link(wanted text)
  returns table (id bigint, code text, target text, owner_id bigint, created_at timestamptz, updated_at timestamptz,
    version bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select l.id, l.code, l.target, l.owner_id, l.created_at, l.updated_at, l.version
      from public.links l where l.code = wanted
  $$;
call give_function('find_link', 'links_public');
