-- Creations that were asked for under an Idempotency-Key (docs/decisions/0013). A key's row commits together with what
-- was made under it. A key is stored as its SHA-256 only.
create table idempotency_keys (
  user_id     bigint not null references users (id) on delete cascade,
  key_hash    bytea not null check (octet_length(key_hash) = 32),
  -- SHA-256 of the method, the route and the body: another request under the same key is a mistake
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  -- the link that was made, as it was then; null where the creation showed a secret, which is not shown again
  record      jsonb,
  created_at  timestamptz not null default now(),
  primary key (user_id, key_hash)
);
create index idempotency_keys_oldest on idempotency_keys (created_at);

alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy idempotency_keys_own on idempotency_keys to links_own, users_own
  using (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy idempotency_keys_sweep on idempotency_keys to identity using (true);

-- A row is not changed: it ends by its age.
grant select, insert (user_id, key_hash, fingerprint, record) on idempotency_keys to links_own, users_own;
grant select (user_id, key_hash, created_at), delete on idempotency_keys to identity;
