-- Whether a caller still has the rights that a change was decided with: a user in this role who is not suspended, with
-- a sign-in or a personal token that has not ended, or with an external identity that is still linked. The login role
-- cannot read these tables.
create or replace function caller_stands(caller jsonb) returns boolean
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  caller_id constant bigint := caller ->> 'id';
begin
  -- One check at a time: PostgreSQL would set up all parts of a single expression, for every change.
  perform from public.users u where u.id = caller_id and u.role = caller ->> 'role' and u.suspended_at is null;
  if not found then
    return false;
  end if;
  if caller ->> 'sign_in' is not null
      and public.sign_in_lives((caller ->> 'sign_in')::uuid, caller_id) is not true then
    return false;
  end if;
  if caller ->> 'personal_token' is not null
      and public.personal_token_lives((caller ->> 'personal_token')::bigint, caller_id) is not true then
    return false;
  end if;
  if caller ->> 'issuer' is not null then
    perform from public.external_identities e
      where e.issuer = caller ->> 'issuer' and e.subject = caller ->> 'subject' and e.user_id = caller_id;
    return found;
  end if;
  return true;
end $$;
call give_function('caller_stands', 'identity');

-- Fails with LG007 unless the caller still has these rights, and keeps them true until the transaction ends. `losing`:
-- the user whose rights the change takes; null: none.
create or replace function require_caller(caller jsonb, losing bigint) returns void
  language plpgsql volatile as $$
begin
  perform public.lock_rights((caller ->> 'id')::bigint, losing);
  -- a separate statement, so that it sees what was committed while the one above waited
  if not public.caller_stands(caller) then
    raise exception using errcode = 'LG007', message = 'the caller is no longer who this was decided for';
  end if;
end $$;

-- Fails with LG001 unless this is the policy revision in force, and keeps it in force until the transaction ends: a
-- policy edit takes the lock exclusively.
create or replace function require_revision(decided_under bigint) returns void
  language plpgsql volatile as $$
declare
  in_force bigint;
begin
  -- The statements below must see what was committed while this waited for the lock, which only read committed ensures.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception using errcode = 'LG008',
      message = 'a change needs the isolation level read committed (default_transaction_isolation)';
  end if;
  perform pg_advisory_xact_lock_shared(7274501);
  select revision into in_force from public.policy_head;
  if in_force is distinct from decided_under then
    raise exception using errcode = 'LG001',
      message = format('decided under revision %s, revision %s is in force', decided_under, in_force);
  end if;
end $$;
grant select on policy_head to identity;

-- Begins a changing transaction (promise 1 of the contract): fails unless the revision in force and the caller's rights
-- are those that the change was decided with, then enters the role. Whatever takes the caller's rights takes a lock
-- (lock_rights.sql), so that these checks stay true until the commit as well. `decision` is logged with the change
-- (record_decision.sql).
create or replace function enter_change(entered_role text, user_id bigint, decided_under bigint, decision text,
    caller jsonb, losing bigint) returns void
  language plpgsql volatile as $$
begin
  perform public.require_revision(decided_under);
  if caller is not null then
    perform public.require_caller(caller, losing);
  end if;
  perform set_config('app.decision', decision, true), set_config('app.user_id', coalesce(user_id::text, ''), true),
    set_config('role', entered_role, true);
end $$;
