-- The policy's rows as casbin-pg-adapter reads and writes them: `rule` is a JSON array of texts.
create table casbin (
  id    bigint generated always as identity primary key,
  ptype text not null check (ptype in ('p', 'p2', 'g')),
  rule  jsonb not null check (jsonb_typeof(rule) = 'array'),
  constraint casbin_row_key unique (ptype, rule)
);
-- two rows with one priority would leave their order to chance
create unique index casbin_priority_key on casbin (((rule ->> 0)::bigint)) where ptype = 'p';
create index casbin_first_field on casbin (ptype, (rule ->> 0));

-- What admins say of a row. It decides nothing, so it is kept beside the rows. Nobody writes it but
-- functions/keep_policy_comments.sql, by what a revision says.
create table policy_comments (
  ptype   text not null,
  rule    jsonb not null,
  comment text not null check (length(comment) between 1 and 500),
  primary key (ptype, rule)
);

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

create table policy_revisions (
  revision          bigint primary key check (revision > 0),
  time              timestamptz not null default clock_timestamp(),
  -- who made it: a user by their id alone; who has no id (the command line, SQL) by name
  actor_id          bigint,
  actor             text,
  reason            text not null check (length(reason) between 1 and 1000),
  -- where it was proposed, and who approved it, named as its maker is
  proposal          bigint unique references policy_proposals (id),
  approved_by       bigint,
  approver          text,
  -- made at the command line past the approval that the installation asks for
  without_approval  boolean not null default false,
  added             jsonb not null,
  removed           jsonb not null,
  -- the comments that it changed, those that came and went with their rows too: [{row, before, after}]
  comments          jsonb not null default '[]',
  decisions_changed jsonb not null,
  model_sha256      text not null
);

-- the revision in force: one row
create table policy_head (
  only_row boolean primary key default true check (only_row),
  revision bigint not null
);
insert into policy_head (revision) values (0);

-- What a transaction has changed in the policy's rows (`claimed` false), and what its revision says that it has, until
-- its commit compares the two (functions/record_policy_edit_by_hand.sql). Empty between transactions, so not logged.
create unlogged table policy_row_changes (
  id          bigint generated always as identity,
  transaction xid8 not null default pg_current_xact_id(),
  ptype       text not null,
  rule        jsonb not null,
  change      integer not null check (change in (1, -1)),
  claimed     boolean not null
);

-- Transactions that have changed something of the policy: one row each, whose insertion has the commit look.
create unlogged table policy_edits_open (
  transaction xid8 primary key default pg_current_xact_id(),
  -- the revision that the transaction has written itself
  revision    bigint,
  -- true while the commit writes a revision in place of a missing one
  settling    boolean not null default false
);

grant select, insert, delete on casbin to policy_editor;
grant select, insert on policy_revisions to policy_editor;
grant select, insert (actor_id, actor, reason, base, added, removed, comments),
  update (state, closed_at, closer_id, closer, closing_reason, revision) on policy_proposals to policy_editor;
grant select, update (revision) on policy_head to policy_editor;
grant select on policy_head to audit_chain;
