-- Searches in a list of links (`q`). Trigrams find a text anywhere in what people keep with a link; btree_gin lets the
-- index know whose a link is, without which an owner whose text others have often reads their links as well
-- (docs/decisions/0024). Both extensions are trusted, so whoever may create something in the database may create them.
-- Where the server does not have one, or the role may not create it, the index goes without: searches look at links of
-- others too, or read every link and end at their deadline (docs/operations.md).
do $$
declare
  extension text;
  has_trigrams boolean;
  has_owners boolean;
begin
  foreach extension in array array['pg_trgm', 'btree_gin'] loop
    begin
      if exists (select from pg_available_extensions where name = extension) then
        execute format('create extension if not exists %I', extension);
      end if;
    exception when insufficient_privilege then
      raise notice '% could not be created: searches have less of an index', extension;
    end;
  end loop;

  -- they may be in a schema that is not on the search path
  has_trigrams := exists (select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid));
  has_owners := exists (
    select from pg_opclass c join pg_am a on a.oid = c.opcmethod
     where a.amname = 'gin' and c.opcname = 'int8_ops' and pg_opclass_is_visible(c.oid));
  -- `collate "default"`: a search ignores the case of all letters, and that of `code` knows only those of ASCII
  execute 'create index links_search on links using gin (' || case when has_owners then 'owner_id, ' else '' end ||
    'tags' || case when has_trigrams then $index$, lower((code || E'\n' || target || E'\n' || coalesce(title, '')
      || E'\n' || coalesce(note, '')) collate "default") gin_trgm_ops$index$ else '' end || ')';
end $$;

-- LIKE and @> are not leakproof: under row-level security PostgreSQL uses no index for them. So a search of an owner
-- finds ids here, in the rows that row-level security would leave, and reads what it answers from `links`.
create view own_links as
  select id, code, target, owner_id, created_at, updated_at, version, title, note, tags, status, active, starts_at,
      expires_at, max_visits, used, has_password, forward_query
    from links where owner_id = (select nullif(current_setting('app.user_id', true), '')::bigint);
grant create on schema public to links_public;
alter view own_links owner to links_public;
revoke create on schema public from links_public;
grant select on own_links to links_own;
