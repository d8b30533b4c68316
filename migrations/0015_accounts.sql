-- Accounts that end (functions/forget_user.sql), and tokens by which somebody sets a new password or another address.
-- Changes wait while the tables change.
select pg_advisory_xact_lock(7274501);

grant delete on users to users_own, users_any, identity;
grant delete on invitations to identity;

-- Links of a deleted user, in the trash too: given to another one by a function (functions/give_deleted_links.sql), or
-- taken by the command line, which is `identity` and records what it does (functions/record_change.sql).
grant update (owner_id) on deleted_links to links_public;
create policy deleted_links_given on deleted_links for update to links_public using (true);
create policy links_identity on links to identity using (true);
create policy deleted_links_identity on deleted_links to identity using (true);
grant select (id, owner_id, version), update (owner_id, updated_at, version), delete on links to identity;
grant select (id, owner_id), update (owner_id), delete on deleted_links to identity;
grant insert on changed_links to identity;

-- The history of the policy names its users by their ids alone; who has no id (the command line, SQL) is named.
alter table policy_revisions alter column actor drop not null;
update policy_revisions set actor = null where actor_id is not null;

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
-- whoever sets a new password by such a link may end the tokens as well
grant update (revoked_at) on personal_tokens to identity;
