-- Deletes keys that are 24 hours old: the claimed one, and the 20 oldest of all users. So the table shrinks as keys are
-- used, without a timer. Only one sweep runs at a time; nobody waits for it.
create or replace function sweep_idempotency_keys(claimed bytea) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  too_old timestamptz := now() - interval '24 hours';
begin
  delete from public.idempotency_keys k
   where k.user_id = nullif(current_setting('app.user_id', true), '')::bigint and k.key_hash = claimed
     and k.created_at <= too_old;
  if pg_try_advisory_xact_lock(7274511) then
    delete from public.idempotency_keys k using (
      select o.user_id, o.key_hash from public.idempotency_keys o
       where o.created_at <= too_old order by o.created_at limit 20
    ) old where k.user_id = old.user_id and k.key_hash = old.key_hash;
  end if;
end $$;
call give_function('sweep_idempotency_keys', 'identity');
grant execute on function sweep_idempotency_keys to links_own, users_own;

-- Locks this key of this user until the end of the transaction; LG004 while another transaction holds it. Taken before
-- every other lock: a retry must not overtake a request that waits for one of them.
create or replace function lock_idempotency_key(user_id bigint, claimed bytea) returns void
  language plpgsql volatile as $$
declare
  digest text := encode(sha256(convert_to(user_id::text, 'UTF8') || '\x00'::bytea || claimed), 'hex');
begin
  -- The lock number is negative and derived from a cryptographic hash: nobody can choose a key that collides with
  -- another caller's lock, or with one of the service's own.
  if not pg_try_advisory_xact_lock(('x8' || substr(digest, 1, 15))::bit(64)::bigint) then
    raise exception using errcode = 'LG004', message = 'another request has this idempotency key at this moment';
  end if;
end $$;

-- Claims the caller's locked key for this transaction, which inserts the key's row with the record that it creates.
-- LG005 if a record was already created under it, LG009 if that was for another request.
create or replace function claim_idempotency_key(claimed bytea, request bytea) returns void
  language plpgsql volatile as $$
declare
  made bytea;
begin
  perform public.sweep_idempotency_keys(claimed);
  select k.fingerprint into made from public.idempotency_keys k where k.key_hash = claimed;
  if found then
    raise exception using errcode = case when made = request then 'LG005' else 'LG009' end,
      message = 'something was made under this idempotency key already';
  end if;
end $$;
