-- Creations that may be asked for again under an Idempotency-Key (docs/decisions/0013): what was made under which key. The row
-- commits with what it made, so there is never one without the other. A key is known by its SHA-256 alone; no secret of an answer
-- is here, only what it can be worked out from by who holds the installation's key (src/layers/4-data/repeat.ts).
create table idempotency_keys (
  user_id     bigint not null references users (id) on delete cascade,
  key_hash    bytea not null check (octet_length(key_hash) = 32),
  -- SHA-256 of the method, the route and the body: another request under the same key is a mistake
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  salt        bytea not null check (octet_length(salt) = 32),
  -- tells whether the secret that is worked out again is the one that was handed out
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  -- what was made, as it was then
  record      jsonb not null,
  created_at  timestamptz not null default now(),
  primary key (user_id, key_hash)
);
create index idempotency_keys_oldest on idempotency_keys (created_at);

alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy idempotency_keys_own on idempotency_keys for all to links_own, users_own
  using (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint))
  with check (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy idempotency_keys_sweep on idempotency_keys for all to identity using (true);

-- What stands is neither changed nor taken back: its end is its age.
grant select, insert (user_id, key_hash, fingerprint, salt, secret_hash, record) on idempotency_keys to links_own, users_own;
grant select (user_id, key_hash, created_at), delete on idempotency_keys to identity;

-- Keys are forgotten after 24 hours: each creation under a key takes the oldest few with it, so the table shrinks as long as
-- anybody uses keys, and no timer is needed. One sweep at a time; who comes meanwhile goes on. The caller's own key goes for sure.
create function sweep_idempotency_keys(claimed bytea) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from public.idempotency_keys k
   where k.user_id = nullif(current_setting('app.user_id', true), '')::bigint and k.key_hash = claimed and k.created_at <= now() - interval '24 hours';
  if pg_try_advisory_xact_lock(7274506) then
    delete from public.idempotency_keys k using (
      select o.user_id, o.key_hash from public.idempotency_keys o where o.created_at <= now() - interval '24 hours' order by o.created_at limit 20
    ) old where k.user_id = old.user_id and k.key_hash = old.key_hash;
  end if;
end $$;

-- Takes a key for this transaction: LG004 where another one has it at this moment, LG005 where something was made under it
-- already. The lock ends with the transaction, however that ends, so a key is never left taken by one who died. Its number is
-- negative and of a cryptographic hash: nobody can choose a key that meets another's lock, or one of the service's own.
create function claim_idempotency_key(claimed bytea) returns void
  language plpgsql volatile as $$
declare
  caller text := current_setting('app.user_id', true);
begin
  if not pg_try_advisory_xact_lock(('x8' || substr(encode(sha256(convert_to(caller, 'UTF8') || '\x00'::bytea || claimed), 'hex'), 1, 15))::bit(64)::bigint) then
    raise exception using errcode = 'LG004', message = 'another request has this idempotency key at this moment';
  end if;
  perform public.sweep_idempotency_keys(claimed);
  perform from public.idempotency_keys k where k.key_hash = claimed;
  if found then
    raise exception using errcode = 'LG005', message = 'something was made under this idempotency key already';
  end if;
end $$;

-- A user has at most so many live personal tokens. The lock of their row orders two who add at once; the second counts after
-- the first.
create function limit_personal_tokens() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from public.users u where u.id = new.user_id for no key update;
  if (select count(*) from public.personal_tokens t where t.user_id = new.user_id and t.revoked_at is null and t.expires_at > now()) >= 100 then
    raise exception using errcode = 'LG006', message = 'a user has at most 100 live personal tokens';
  end if;
  return new;
end $$;
create trigger limit_personal_tokens before insert on personal_tokens for each row execute function limit_personal_tokens();

grant create on schema public to identity;
alter function sweep_idempotency_keys owner to identity;
alter function limit_personal_tokens owner to identity;
revoke create on schema public from identity;
revoke execute on function sweep_idempotency_keys, limit_personal_tokens from public;
grant execute on function sweep_idempotency_keys to links_own, users_own;
