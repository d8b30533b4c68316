-- Searches in a list of links (`q`): trigrams serve a text anywhere in a code or a target. The extension is trusted, so
-- whoever may create something in the database may create it. Where the server does not have it, or the role may not,
-- searches read every link and end at their deadline (docs/operations.md).
do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension if not exists pg_trgm;
  end if;
  if exists (select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)) then
    create index links_search on links using gin (lower(code) gin_trgm_ops, lower(target) gin_trgm_ops);
  end if;
exception when insufficient_privilege then
  raise notice 'pg_trgm could not be created: searches have no index';
end $$;
