-- `linkgate import` (docs/import.md) adds links as the command line, which is `identity`: nobody decides about them,
-- and the log says who did it (functions/record_change.sql).
grant select (id, code, target, owner_id), insert on links to identity;
