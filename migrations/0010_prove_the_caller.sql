-- A change names the caller whom it was decided for, and commits only while they stand as they stood then: with that role, not
-- suspended, their sign-in not over. So what a process remembers of them may be believed until here, and no change needs a
-- question of its own for it (docs/decisions/0017).
create function caller_stands(caller_id bigint, caller_role text, sign_in uuid, token_issuer text, token_subject text) returns boolean
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (select from public.users u where u.id = caller_id and u.role = caller_role and u.suspended_at is null)
    and (sign_in is null or not exists (select from public.refresh_tokens t where t.family = sign_in and t.revoked_at is not null))
    and (token_issuer is null or exists (
      select from public.external_identities e where e.issuer = token_issuer and e.subject = token_subject and e.user_id = caller_id));
end $$;

-- As the function of four arguments (0003), which the version before this one still calls: the lock first, the revision after it.
-- What is read after the lock has to be read anew for each statement, so no other isolation level will do: a transaction that
-- is made of one flush has the session's.
create function enter_change(entered_role text, user_id bigint, decided_under bigint, decision text, caller_role text, sign_in uuid, token_issuer text, token_subject text)
  returns void language plpgsql volatile as $$
declare
  in_force bigint;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception using errcode = 'LG008', message = 'a change needs the isolation level read committed (default_transaction_isolation)';
  end if;
  perform pg_advisory_xact_lock_shared(7274501);
  select revision into in_force from public.policy_head;
  if in_force is distinct from decided_under then
    raise exception using errcode = 'LG001', message = format('decided under revision %s, revision %s is in force', decided_under, in_force);
  end if;
  if caller_role is not null and not public.caller_stands(user_id, caller_role, sign_in, token_issuer, token_subject) then
    raise exception using errcode = 'LG007', message = 'the caller is no longer who this was decided for';
  end if;
  -- what it changes of links it announces itself, once that is committed (0011)
  perform set_config('app.announces', 'on', true), set_config('app.decision', decision, true), set_config('app.user_id', coalesce(user_id::text, ''), true), set_config('role', entered_role, true);
end $$;

grant create on schema public to identity;
alter function caller_stands owner to identity;
revoke create on schema public from identity;
revoke execute on function caller_stands from public;
