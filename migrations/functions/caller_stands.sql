-- Whether the caller is still who a change was decided for: has that role, is not suspended, and neither their sign-in
-- nor their external identity is gone.
create or replace function caller_stands(caller_id bigint, caller_role text, sign_in uuid, token_issuer text,
    token_subject text) returns boolean
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (
      select from public.users u where u.id = caller_id and u.role = caller_role and u.suspended_at is null)
    and (sign_in is null or not exists (
      select from public.refresh_tokens t where t.family = sign_in and t.revoked_at is not null))
    and (token_issuer is null or exists (
      select from public.external_identities e
       where e.issuer = token_issuer and e.subject = token_subject and e.user_id = caller_id));
end $$;
call give_function('caller_stands', 'identity');
