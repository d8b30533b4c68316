select pg_advisory_xact_lock(7274501);

-- What admins say of a row of the policy. It decides nothing, so it is kept beside the rows. Nobody writes it but
-- functions/keep_policy_comments.sql, by what a revision says.
create table policy_comments (
  ptype   text not null,
  rule    jsonb not null,
  comment text not null check (length(comment) between 1 and 500),
  primary key (ptype, rule)
);

-- Which comments a revision changed, those that came and went with their rows too: [{row, before, after}].
alter table policy_revisions add column comments jsonb not null default '[]';
