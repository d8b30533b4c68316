-- The index of searches knows whose a link is. Without that, an owner whose text others have often reads their links as
-- well (docs/decisions/0024). A GIN index takes a number by btree_gin, a trusted extension as pg_trgm is
-- (0009_search.sql); where the server does not have it, or the role may not create it, the index stays as it is.
do $$
begin
  if exists (select from pg_available_extensions where name = 'btree_gin') then
    create extension if not exists btree_gin;
  end if;
exception when insufficient_privilege then
  raise notice 'btree_gin could not be created: searches of owners look at links of others, too';
end $$;

do $$
declare
  texts text := '';
begin
  if not exists (select from pg_opclass c join pg_am a on a.oid = c.opcmethod
                  where a.amname = 'gin' and c.opcname = 'int8_ops' and pg_opclass_is_visible(c.oid)) then
    return;
  end if;
  if exists (select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)) then
    texts := $index$, lower(
      code || E'\n' || target || E'\n' || coalesce(title, '') || E'\n' || coalesce(note, '')) gin_trgm_ops$index$;
  end if;
  -- before the old one goes: only changes wait while this is built, redirects do not
  execute 'create index links_search_by_owner on links using gin (owner_id, tags' || texts || ')';
  drop index if exists links_search;
  alter index links_search_by_owner rename to links_search;
end $$;
