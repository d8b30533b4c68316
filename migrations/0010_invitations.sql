-- Invitations: the token in the link is stored as its SHA-256 only.
create table invitations (
  id           bigint generated always as identity primary key,
  email        text not null
    constraint invitations_email_shape check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and length(email) <= 254),
  role         text not null constraint invitations_role_shape
    check (role ~ '^[a-z][a-z0-9_-]{0,31}$' and role not in ('anonymous', 'anyone', 'user')),
  invited_by   bigint references users (id) on delete set null,
  token_hash   bytea not null constraint invitations_hash_key unique check (octet_length(token_hash) = 32),
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null,
  accepted_at  timestamptz,
  withdrawn_at timestamptz
);
create index invitations_of_inviter on invitations (invited_by, id);

-- Whoever may invite sees their invitations and withdraws them; all of them only who may read every user as well, since
-- an invitation names a person (src/layers/4-data/invitations.ts).
alter table invitations enable row level security;
alter table invitations force row level security;
create policy invitations_identity on invitations to identity using (true);
create policy invitations_own on invitations to users_own
  using (invited_by = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy invitations_any on invitations to users_any using (true);

-- Nobody who invites sees a hash: the token is shown once, in the answer.
grant insert (email, role, invited_by, token_hash, expires_at) on invitations to users_own;
grant select (id, email, role, invited_by, created_at, expires_at, accepted_at, withdrawn_at), update (withdrawn_at)
  on invitations to users_own, users_any;
grant select, update (accepted_at), delete on invitations to identity;
