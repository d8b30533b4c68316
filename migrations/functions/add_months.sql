-- Creates the partitions of `decisions` or `visits` from this month (UTC) to `ahead` months later, at most 24. Existing
-- partitions stay; a month with rows in the default partition stays there.
create or replace function add_months(parent text, ahead integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  this_month timestamp := date_trunc('month', now() at time zone 'UTC');
  name text;
  first timestamptz;
  last timestamptz;
  is_taken boolean;
begin
  if parent not in ('decisions', 'visits') then
    raise exception '% has no months', parent using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(7274505);
  for n in 0 .. least(ahead, 24) loop
    name := parent || to_char(this_month + make_interval(months => n), '_YYYY_MM');
    first := (this_month + make_interval(months => n)) at time zone 'UTC';
    last := (this_month + make_interval(months => n + 1)) at time zone 'UTC';
    execute format('select exists (select from public.%I where time >= $1 and time < $2)', parent || '_default')
      into is_taken using first, last;
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
