-- Links that were sent to somebody, or made by the command line: to choose a new password, or to confirm a new address.
-- Each works once, and is deleted with its use. A token is stored as its SHA-256 only.
create table account_tokens (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references users (id) on delete cascade,
  purpose    text not null check (purpose in ('password', 'address')),
  token_hash bytea not null constraint account_tokens_hash_key unique check (octet_length(token_hash) = 32),
  -- the address that is to be theirs
  email      text check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and length(email) <= 254),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check ((purpose = 'address') = (email is not null))
);
create index account_tokens_user on account_tokens (user_id, purpose);

alter table account_tokens enable row level security;
alter table account_tokens force row level security;
create policy account_tokens_identity on account_tokens to identity using (true);
create policy account_tokens_add on account_tokens for insert to users_own
  with check (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint));

grant select, delete, insert (user_id, purpose, token_hash, email, expires_at) on account_tokens to identity;
grant insert (user_id, purpose, token_hash, email, expires_at) on account_tokens to users_own;
