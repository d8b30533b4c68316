-- A search ignores the case of all letters: `code` has the collation "C", which knows only those of ASCII, and the text
-- in which a search looks took that over from it. Servers without trigrams keep the index that they have.
do $$
declare
  has_owners boolean := exists (
    select from pg_opclass c join pg_am a on a.oid = c.opcmethod
     where a.amname = 'gin' and c.opcname = 'int8_ops' and pg_opclass_is_visible(c.oid));
begin
  if exists (select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)) then
    drop index links_search;
    execute 'create index links_search on links using gin (' || case when has_owners then 'owner_id, ' else '' end ||
      $index$tags, lower((code || E'\n' || target || E'\n' || coalesce(title, '') || E'\n' || coalesce(note, ''))
        collate "default") gin_trgm_ops)$index$;
  end if;
end $$;
