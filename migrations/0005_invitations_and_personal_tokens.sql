-- Personal tokens: what a program signs in with. Known by their SHA-256 alone; each belongs to one user.
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

alter table personal_tokens enable row level security;
alter table personal_tokens force row level security;
create policy personal_tokens_own on personal_tokens for all to users_own
  using (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint))
  with check (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy personal_tokens_identity on personal_tokens for all to identity using (true) with check (true);

-- What a token grants and until when is settled when it is made; its owner may end it, and see all of it but its hash.
grant select (id, user_id, name, scopes, created_at, expires_at, last_used_at, revoked_at) on personal_tokens to users_own;
grant insert (user_id, name, token_hash, scopes, expires_at), update (revoked_at) on personal_tokens to users_own;
grant select (id, user_id, token_hash, scopes, expires_at, revoked_at, last_used_at) on personal_tokens to identity;
grant insert (user_id, name, token_hash, scopes, expires_at), update (last_used_at) on personal_tokens to identity;

-- what a request does is decided; the command line (identity) has the database in hand
create trigger personal_token_decision after insert or update of revoked_at on personal_tokens
  for each row when (current_setting('role') <> 'identity') execute function record_decision('personal_token', 'id');

-- A live token by its hash. Notes the use at most once a minute: a busy token must not write a row for every request.
create function use_personal_token(hash bytea)
  returns table (id bigint, user_id bigint, scopes text[], expires_at timestamptz)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select t.id, t.user_id, t.scopes, t.expires_at from public.personal_tokens t
     where t.token_hash = hash and t.revoked_at is null and t.expires_at > now();
  update public.personal_tokens t set last_used_at = now()
   where t.token_hash = hash and t.revoked_at is null and t.expires_at > now()
     and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute');
end $$;

-- Invitations: single use, expiring, known by their SHA-256 alone.
create table invitations (
  id          bigint generated always as identity primary key,
  email       text not null constraint invitations_email_shape check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and length(email) <= 254),
  role        text not null constraint invitations_role_shape check (role ~ '^[a-z][a-z0-9_-]{0,31}$' and role not in ('anonymous', 'anyone', 'user')),
  invited_by  bigint references users (id) on delete set null,
  token_hash  bytea not null constraint invitations_hash_key unique check (octet_length(token_hash) = 32),
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null,
  accepted_at timestamptz
);
alter table invitations enable row level security;
alter table invitations force row level security;
-- whoever may invite may add an invitation, and read none: not even their own, whose token they got once
create policy invitations_add on invitations for insert to users_own
  with check (invited_by = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy invitations_identity on invitations for all to identity using (true) with check (true);
grant insert (email, role, invited_by, token_hash, expires_at) on invitations to users_own;
grant select on invitations to identity;
grant update (accepted_at) on invitations to identity;
create trigger invitation_decision after insert on invitations
  for each row execute function record_decision('invitation', 'id');

-- There is always an admin who can act. The lock orders two who demote each other; the second then counts after the first.
create function require_active_admin() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(7274503);
  perform from public.users where role = 'admin' and suspended_at is null;
  if not found then
    raise exception using errcode = 'LG003', message = 'the last active admin must stay';
  end if;
  return null;
end $$;
create trigger users_keep_an_admin after update or delete on users
  for each row when (old.role = 'admin' and old.suspended_at is null) execute function require_active_admin();

grant create on schema public to identity;
alter function use_personal_token owner to identity;
alter function require_active_admin owner to identity;
revoke create on schema public from identity;
revoke execute on function use_personal_token, require_active_admin from public;
