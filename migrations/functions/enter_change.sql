-- Begins a transaction that changes something (promise 1 of the contract): fails unless the revision in force and the
-- caller are those that the change was decided for, then enters the role. A policy edit takes the lock in its exclusive
-- form, and so does what takes the caller's rights (lock_rights.sql), so what is checked here stays true until the
-- commit. `decision` goes to the log with the change (record_decision.sql).
create or replace function enter_change(entered_role text, user_id bigint, decided_under bigint, decision text,
    caller jsonb, losing bigint) returns void
  language plpgsql volatile as $$
declare
  in_force bigint;
begin
  -- The statements below must see what was committed while this waited for the lock. Only read committed does that.
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
  if caller is not null then
    perform public.require_caller(caller, losing);
  end if;
  perform set_config('app.decision', decision, true), set_config('app.user_id', coalesce(user_id::text, ''), true),
    set_config('role', entered_role, true);
end $$;
