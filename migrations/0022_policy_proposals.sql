select pg_advisory_xact_lock(7274501);

-- Edits of the policy that wait for a second pair of hands (POLICY_APPROVALS).
create table policy_proposals (
  id              bigint generated always as identity primary key,
  time            timestamptz not null default clock_timestamp(),
  -- who proposed it: a user by their id alone, or somebody at the command line by name
  actor_id        bigint,
  actor           text,
  reason          text not null check (length(reason) between 1 and 1000),
  -- the revision that it was made for
  base            bigint not null,
  -- as in policy_revisions
  added           jsonb not null,
  removed         jsonb not null,
  comments        jsonb not null,
  state           text not null default 'open' check (state in ('open', 'applied', 'declined', 'withdrawn')),
  -- who closed it, when and why, and the revision that it became
  closed_at       timestamptz,
  closer_id       bigint,
  closer          text,
  closing_reason  text check (length(closing_reason) between 1 and 1000),
  revision        bigint unique,
  check ((actor_id is null) <> (actor is null)),
  check ((state = 'open') = (closed_at is null)),
  check ((state = 'open') = (closer_id is null and closer is null)),
  check ((state = 'applied') = (revision is not null)),
  -- nobody decides about what they proposed themselves, and nobody withdraws what somebody else did
  check (state = 'open'
    or (state = 'withdrawn') = (closer_id is not distinct from actor_id and closer is not distinct from actor))
);

grant select, insert (actor_id, actor, reason, base, added, removed, comments),
  update (state, closed_at, closer_id, closer, closing_reason, revision) on policy_proposals to policy_editor;

alter table policy_revisions
  -- who approved it, where it was proposed: a user, or somebody at the command line
  add column approved_by bigint,
  add column approver text,
  add column proposal bigint unique references policy_proposals (id),
  -- made at the command line past the approval that the installation asks for
  add column without_approval boolean not null default false;
