-- Which background work ran when, over all processes (functions/jobs.sql).
create table job_runs (
  name   text primary key,
  ran_at timestamptz not null default now()
);
