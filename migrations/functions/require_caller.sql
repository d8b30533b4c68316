-- Whether a caller is still who a change was decided for: a user in this role who is not suspended, by a sign-in or a
-- personal token that has not ended, or by an external identity that is still theirs. The login role cannot read these
-- tables.
create or replace function caller_stands(caller jsonb) returns boolean
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  caller_id bigint := (caller ->> 'id')::bigint;
begin
  return exists (
      select from public.users u where u.id = caller_id and u.role = caller ->> 'role' and u.suspended_at is null)
    and (caller ->> 'sign_in' is null or public.sign_in_lives((caller ->> 'sign_in')::uuid))
    and (caller ->> 'personal_token' is null
      or public.personal_token_lives((caller ->> 'personal_token')::bigint, caller_id))
    and (caller ->> 'issuer' is null or exists (
      select from public.external_identities e
       where e.issuer = caller ->> 'issuer' and e.subject = caller ->> 'subject' and e.user_id = caller_id));
end $$;
call give_function('caller_stands', 'identity');

-- Fails with LG007 unless the caller still stands, and holds that true until the transaction ends. `losing`: the user
-- whose rights the change takes; null: nobody.
create or replace function require_caller(caller jsonb, losing bigint) returns void
  language plpgsql volatile as $$
begin
  perform public.lock_rights((caller ->> 'id')::bigint, losing);
  -- a statement of its own: it sees what was committed while the one above waited
  if not public.caller_stands(caller) then
    raise exception using errcode = 'LG007', message = 'the caller is no longer who this was decided for';
  end if;
end $$;
