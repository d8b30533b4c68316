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

create table policy_revisions (
  revision          bigint primary key check (revision > 0),
  actor_id          bigint,
  actor             text not null,
  reason            text not null check (length(reason) between 1 and 1000),
  time              timestamptz not null default clock_timestamp(),
  added             jsonb not null,
  removed           jsonb not null,
  decisions_changed jsonb not null,
  model_sha256      text not null
);

-- the revision in force: one row
create table policy_head (
  only_row boolean primary key default true check (only_row),
  revision bigint not null
);
insert into policy_head (revision) values (0);

grant select, insert, delete on casbin to policy_editor;
grant select, insert on policy_revisions to policy_editor;
grant select, update (revision) on policy_head to policy_editor;
