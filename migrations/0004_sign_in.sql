-- Sign-ins. A token is known by its SHA-256 alone; all that follow from one sign-in are a family, and a family is over as
-- soon as one of its tokens is revoked.
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

alter table refresh_tokens enable row level security;
alter table refresh_tokens force row level security;
create policy refresh_tokens_identity on refresh_tokens to identity using (true) with check (true);

-- What a token grants, to whom and until when is settled when it is made.
grant select, insert, delete on refresh_tokens to identity;
grant update (used_at, revoked_at) on refresh_tokens to identity;
