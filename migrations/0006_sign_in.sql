-- Sign-ins and personal tokens. A token is stored as its SHA-256 only, and no role of a request sees that.

-- The tokens that follow from one sign-in are a family. It is over as soon as one of them is revoked.
create table refresh_tokens (
  id         bigint generated always as identity primary key,
  family     uuid not null,
  user_id    bigint not null references users (id) on delete cascade,
  token_hash bytea not null constraint refresh_tokens_hash_key unique check (octet_length(token_hash) = 32),
  scope      text not null check (length(scope) <= 2000),
  -- Two tabs of a browser may present one refresh token at the same moment, and each gets a successor (src/identity/
  -- sign-in.ts). The later ones name the first: when one of them is used, all of them are spent. Null: there was none.
  twin_of    bigint,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz,
  revoked_at timestamptz
);
create index refresh_tokens_family on refresh_tokens (family);
-- Whether a sign-in has ended is asked for every request; its tokens can be thousands (functions/find_user.sql).
create index refresh_tokens_revoked on refresh_tokens (family) where revoked_at is not null;
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
  id              bigint generated always as identity primary key,
  user_id         bigint not null references users (id) on delete cascade,
  name            text not null check (length(name) between 1 and 100),
  token_hash      bytea not null constraint personal_tokens_hash_key unique check (octet_length(token_hash) = 32),
  scopes          text[] not null check (cardinality(scopes) <= 100),
  -- What made it: another token, or a sign-in. Null where that is not known (an external issuer, the command line). So
  -- an account can see what followed from what, and end it together.
  made_by_token   bigint references personal_tokens (id) on delete set null,
  made_by_sign_in uuid,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  last_used_at    timestamptz,
  revoked_at      timestamptz
);
create index personal_tokens_of_user on personal_tokens (user_id, id);
create index personal_tokens_made_by_token on personal_tokens (made_by_token) where made_by_token is not null;

alter table refresh_tokens enable row level security;
alter table refresh_tokens force row level security;
create policy refresh_tokens_identity on refresh_tokens to identity using (true);
create policy refresh_tokens_own on refresh_tokens to users_own
  using (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy refresh_tokens_recorded on refresh_tokens for select to audit_chain using (true);

alter table external_identities enable row level security;
alter table external_identities force row level security;
create policy external_identities_identity on external_identities to identity using (true);

alter table personal_tokens enable row level security;
alter table personal_tokens force row level security;
create policy personal_tokens_identity on personal_tokens to identity using (true);
create policy personal_tokens_own on personal_tokens to users_own
  using (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint));

-- What a token grants, to whom and until when is settled when it is made. A token can only be used up or revoked.
grant select, insert, update (used_at, revoked_at), delete on refresh_tokens to identity;
-- users see their own sign-ins and end them (src/layers/4-data/sign-ins.ts)
grant select (id, family, user_id, created_at, expires_at, revoked_at), update (revoked_at) on refresh_tokens
  to users_own;
-- the log tells a token that begins a sign-in from one that continues it (functions/record_account_event.sql)
grant select (id, family) on refresh_tokens to audit_chain;
grant select, insert on external_identities to identity;
grant select (id, user_id, name, scopes, made_by_token, made_by_sign_in, created_at, expires_at, last_used_at,
              revoked_at),
  insert (user_id, name, token_hash, scopes, made_by_token, made_by_sign_in, expires_at),
  update (revoked_at) on personal_tokens to users_own;
-- `revoked_at`: whoever sets a new password by a mailed link may end the tokens as well
grant select (id, user_id, token_hash, scopes, expires_at, last_used_at, revoked_at),
  insert (user_id, name, token_hash, scopes, expires_at),
  update (last_used_at, revoked_at) on personal_tokens to identity;
