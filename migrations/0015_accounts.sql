-- Changes wait while the tables change.
select pg_advisory_xact_lock(7274501);

-- The history of the policy names its users by their ids alone; who has no id (the command line, SQL) is named.
alter table policy_revisions alter column actor drop not null;
update policy_revisions set actor = null where actor_id is not null;
