-- Creates the partitions of `decisions` or `visits` from this month (UTC) to `ahead` months later, at most 24. Existing
-- partitions stay; a month with rows in the default partition stays there.
create or replace function add_months(parent text, ahead integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  this_month timestamp := date_trunc('month', now() at time zone 'UTC');
  name text;
  -- ISO 8601 in UTC: a time in a session's own format and zone may be read back as another
  first text;
  last text;
  is_taken boolean;
begin
  if parent not in ('decisions', 'visits') then
    raise exception '% has no months', parent using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(7274505);
  for n in 0 .. least(ahead, 24) loop
    name := parent || to_char(this_month + make_interval(months => n), '_YYYY_MM');
    first := to_char(this_month + make_interval(months => n), 'YYYY-MM-DD"T00:00Z"');
    last := to_char(this_month + make_interval(months => n + 1), 'YYYY-MM-DD"T00:00Z"');
    execute format('select exists (select from public.%I where time >= %L and time < %L)',
      parent || '_default', first, last) into is_taken;
    if to_regclass('public.' || name) is null and not is_taken then
      -- created and then attached: creating it in place would wait for readers of the table, and block new ones
      -- meanwhile
      execute format('create table public.%I (like public.%I including defaults including constraints)', name, parent);
      execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
        parent, name, first, last);
    end if;
  end loop;
end $$;
revoke execute on function add_months from public;

-- a new database has its months before its first row
select add_months('decisions', 2), add_months('visits', 2);
