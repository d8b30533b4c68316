create table users (
  id            bigint generated always as identity primary key,
  email         text not null
    constraint users_email_shape check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and length(email) <= 254),
  name          text not null default '' check (length(name) <= 200),
  -- names that have a meaning in the policy's language are not roles of users (src/domain/role.ts, model.conf)
  role          text not null constraint users_role_shape
    check (role ~ '^[a-z][a-z0-9_-]{0,31}$' and role not in ('anonymous', 'anyone', 'user')),
  password_hash text,
  suspended_at  timestamptz,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  version       bigint not null default 1
);
create unique index users_email_key on users (lower(email));

-- Row-level security binds the table's owner too (`force`). Each role has a policy of its own: `or is_admin` in one
-- policy for all would keep PostgreSQL from using an index. The sub-select is evaluated once for each statement.
alter table users enable row level security;
alter table users force row level security;
create policy users_own on users to users_own
  using (id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy users_any on users to users_any using (true);
create policy users_identity on users to identity using (true);
create policy users_counter on users for select to visit_counter using (true);

-- R7: the role that changes a user's own profile has no right to write `role`. An address changes by a mailed link
-- (0011_account_tokens.sql); where no mail can confirm it, an admin sets it.
grant select (id, email, name, role, suspended_at, created_at, updated_at, version), delete on users
  to users_own, users_any;
grant update (name, password_hash, updated_at, version) on users to users_own;
grant update (email, role, suspended_at, updated_at, version) on users to users_any;
grant select, insert, update, delete on users to identity;
grant select (id) on users to visit_counter;
