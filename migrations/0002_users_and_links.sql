create table users (
  id            bigint generated always as identity primary key,
  email         text not null constraint users_email_shape check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and length(email) <= 254),
  name          text not null default '' check (length(name) <= 200),
  -- names that the engine gives a meaning are never a user's role (src/domain/role.ts, model.conf)
  role          text not null constraint users_role_shape check (role ~ '^[a-z][a-z0-9_-]{0,31}$' and role not in ('anonymous', 'anyone', 'user')),
  password_hash text,
  suspended_at  timestamptz,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  version       bigint not null default 1
);
create unique index users_email_key on users (lower(email));

create table links (
  id         bigint generated always as identity primary key,
  code       text collate "C" not null constraint links_code_key unique constraint links_code_shape check (code ~ '^[A-Za-z0-9_-]{1,64}$'),
  target     text not null constraint links_target_length check (length(target) between 1 and 2048),
  owner_id   bigint references users (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version    bigint not null default 1
);
create index links_newest_of_owner on links (owner_id, id);
create index links_code_of_owner on links (owner_id, code);

-- Row-level security, forced: the owner of the tables is bound by it too. A policy for each role that may come in;
-- `any` is a policy of its own on a role of its own, never `or is_admin`. The sub-select is evaluated once a statement.
alter table users enable row level security;
alter table users force row level security;
alter table links enable row level security;
alter table links force row level security;

create policy links_public on links for select to links_public using (true);
create policy links_own on links for all to links_own
  using (owner_id = (select nullif(current_setting('app.user_id', true), '')::bigint))
  with check (owner_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy links_any on links for all to links_any using (true) with check (true);

create policy users_own on users for all to users_own
  using (id = (select nullif(current_setting('app.user_id', true), '')::bigint))
  with check (id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy users_any on users for all to users_any using (true) with check (true);
create policy users_identity on users for all to identity using (true) with check (true);

-- A link's owner is set when it is made and is no field of any request, so no role of a request may update it.
grant select, insert, delete on links to links_own, links_any;
grant update (code, target, updated_at, version) on links to links_own, links_any;
grant select on links to links_public;

-- R7 once more, where no handler can forget it: the role that serves a user's own profile has no right to write `role`.
grant select (id, email, name, role, suspended_at, created_at, updated_at, version) on users to users_own, users_any;
grant update (name, password_hash, updated_at, version) on users to users_own;
grant update (role, suspended_at, updated_at, version) on users to users_any;
grant select, insert, update on users to identity;

-- What the login role may ask without becoming anybody: one link by its code (and one user by their id, 0004).
create function find_link(wanted text)
  returns table (id bigint, code text, target text, owner_id bigint, created_at timestamptz, updated_at timestamptz, version bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select l.id, l.code, l.target, l.owner_id, l.created_at, l.updated_at, l.version from public.links l where l.code = wanted
  $$;

-- A function's owner needs the right to create in its schema at the moment of the hand-over, and not after.
grant create on schema public to links_public;
alter function find_link owner to links_public;
revoke create on schema public from links_public;
revoke execute on function find_link from public;
