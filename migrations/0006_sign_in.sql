-- Sign-ins, personal tokens and invitations. A token is stored as its SHA-256 only.

-- The tokens that follow from one sign-in are a family. It is over as soon as one of them is revoked.
create table refresh_tokens (
  id         bigint generated always as identity primary key,
  family     uuid not null,
  user_id    bigint not null references users (id) on delete cascade,
  token_hash bytea not null constraint refresh_tokens_hash_key unique check (octet_length(token_hash) = 32),
  scope      text not null check (length(scope) <= 2000),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz,
  revoked_at timestamptz
);
create index refresh_tokens_family on refresh_tokens (family);
create index refresh_tokens_user on refresh_tokens (user_id, expires_at);

-- Which user a subject of an external issuer is.
create table external_identities (
  issuer     text collate "C" not null check (length(issuer) between 1 and 2048),
  subject    text collate "C" not null check (length(subject) between 1 and 255),
  user_id    bigint not null references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index external_identities_user on external_identities (user_id);

create table personal_tokens (
  id           bigint generated always as identity primary key,
  user_id      bigint not null references users (id) on delete cascade,
  name         text not null check (length(name) between 1 and 100),
  token_hash   bytea not null constraint personal_tokens_hash_key unique check (octet_length(token_hash) = 32),
  scopes       text[] not null check (cardinality(scopes) <= 100),
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null,
  last_used_at timestamptz,
  revoked_at   timestamptz
);
create index personal_tokens_of_user on personal_tokens (user_id, id);

create table invitations (
  id          bigint generated always as identity primary key,
  email       text not null
    constraint invitations_email_shape check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and length(email) <= 254),
  role        text not null constraint invitations_role_shape
    check (role ~ '^[a-z][a-z0-9_-]{0,31}$' and role not in ('anonymous', 'anyone', 'user')),
  invited_by  bigint references users (id) on delete set null,
  token_hash  bytea not null constraint invitations_hash_key unique check (octet_length(token_hash) = 32),
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  accepted_at timestamptz
);

do $$
declare
  name text;
begin
  foreach name in array array['refresh_tokens', 'external_identities', 'personal_tokens', 'invitations'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy %I on %I to identity using (true)', name || '_identity', name);
  end loop;
end $$;
create policy personal_tokens_own on personal_tokens to users_own
  using (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
-- Whoever may invite adds invitations and reads none: the token is shown once, in the answer.
create policy invitations_add on invitations for insert to users_own
  with check (invited_by = (select nullif(current_setting('app.user_id', true), '')::bigint));

-- What a token grants, to whom and until when is settled when it is made. A token can only be used up or revoked.
grant select, insert, update (used_at, revoked_at), delete on refresh_tokens to identity;
grant select, insert on external_identities to identity;
grant select (id, user_id, name, scopes, created_at, expires_at, last_used_at, revoked_at) on personal_tokens
  to users_own;
grant select (id, user_id, token_hash, scopes, expires_at, revoked_at, last_used_at) on personal_tokens to identity;
grant insert (user_id, name, token_hash, scopes, expires_at) on personal_tokens to users_own, identity;
grant update (revoked_at) on personal_tokens to users_own;
grant update (last_used_at) on personal_tokens to identity;
grant insert (email, role, invited_by, token_hash, expires_at) on invitations to users_own;
grant select, update (accepted_at) on invitations to identity;
