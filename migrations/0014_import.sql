-- `linkgate import`: functions/import_links.sql and record_decision.sql. The number keeps an older version from putting
-- its own functions back.
select 1;
