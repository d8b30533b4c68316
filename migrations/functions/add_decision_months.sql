-- Makes the log's partitions from this month (UTC) to `ahead` months later, at most 24. A month that has a partition
-- keeps it; a month with entries in decisions_default stays there.
create or replace function add_decision_months(ahead integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  this_month timestamp := date_trunc('month', now() at time zone 'UTC');
  name text;
  first timestamptz;
  last timestamptz;
begin
  perform pg_advisory_xact_lock(7274505);
  for n in 0 .. least(ahead, 24) loop
    name := 'decisions_' || to_char(this_month + make_interval(months => n), 'YYYY_MM');
    first := (this_month + make_interval(months => n)) at time zone 'UTC';
    last := (this_month + make_interval(months => n + 1)) at time zone 'UTC';
    if to_regclass('public.' || name) is null
        and not exists (select from public.decisions_default d where d.time >= first and d.time < last) then
      execute format('create table public.%I (like public.decisions including defaults including constraints)', name);
      execute format('alter table public.decisions attach partition public.%I for values from (%L) to (%L)',
        name, first, last);
    end if;
  end loop;
end $$;
revoke execute on function add_decision_months from public;

-- a new database has its months before its first entry
select add_decision_months(2);
