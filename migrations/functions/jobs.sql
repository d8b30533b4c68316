-- Claims a run of a job: true for only one of the processes that ask within the interval. A run of the future is from
-- before the clock was set back.
create or replace function claim_job(job text, every_seconds integer) returns boolean
  language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
    with claimed as (
      insert into public.job_runs as j (name) values (job)
        on conflict (name) do update set ran_at = now()
         where j.ran_at <= now() - make_interval(secs => every_seconds) or j.ran_at > now() + interval '1 minute'
      returning 1)
    select exists (select from claimed)
  $$;
revoke execute on function claim_job from public;
