-- Records events of accounts other than changes of user rows: sign-ins, tokens, and subjects of an external issuer. No
-- entry contains a token, a password, an address, or text that somebody typed. The caller's network comes from
-- app.decision.

-- A sign-in begins with the first refresh token of its family. Its later tokens are not recorded.
create or replace function record_sign_in() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from public.refresh_tokens t where t.family = new.family and t.id <> new.id) then
    perform public.record_change('user', new.user_id::text, jsonb_build_object('what', 'signed in',
      'sign_in', new.family, 'scopes', string_to_array(new.scope, ' ')));
  end if;
  return null;
end $$;
call give_function('record_sign_in', 'audit_chain');
create or replace trigger sign_in_recorded after insert on refresh_tokens
  for each row execute function record_sign_in();

-- A refused sign-in changes no row, so the service reports it. `account`: null if there is no such account.
create or replace function record_refused_sign_in(account bigint, grant_type text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', account::text,
    jsonb_build_object('what', 'sign-in refused', 'with', grant_type));
end $$;
call give_function('record_refused_sign_in', 'audit_chain');
grant execute on function record_refused_sign_in to identity;

-- The end of a sign-in by its refresh token: its user signed out, or the token came back after its use, so that
-- somebody has a copy. Other ends are entries of the password, the suspension or the request that caused them.
create or replace function record_ended_sign_in(account bigint, sign_in uuid, reused boolean) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', account::text, jsonb_build_object('what',
    case when reused then 'refresh token reused' else 'signed out' end, 'sign_in', sign_in));
end $$;
call give_function('record_ended_sign_in', 'audit_chain');
grant execute on function record_ended_sign_in to identity;

-- An access token signed by the command line, which no row holds.
create or replace function record_signed_token(account bigint, token text, scopes text[], expires_at timestamptz)
  returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', account::text, jsonb_build_object('what', 'token signed', 'token_id', token,
    'scopes', scopes, 'expires_at', expires_at));
end $$;
call give_function('record_signed_token', 'audit_chain');
grant execute on function record_signed_token to identity;

-- A personal token created without a request. Those of requests are recorded with their decision (record_decision.sql).
create or replace function record_personal_token() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', new.user_id::text, jsonb_build_object('what', 'personal token added',
    'token_id', 'personal:' || new.id, 'scopes', new.scopes, 'expires_at', new.expires_at));
  return null;
end $$;
call give_function('record_personal_token', 'audit_chain');
create or replace trigger personal_token_recorded after insert on personal_tokens
  for each row when (current_setting('role') = 'identity') execute function record_personal_token();

-- A link for choosing a new password or confirming a new address. The address is not recorded.
create or replace function record_account_token() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', new.user_id::text, jsonb_build_object('what',
    case new.purpose when 'password' then 'password link made' else 'address link made' end,
    'expires_at', new.expires_at));
  return null;
end $$;
call give_function('record_account_token', 'audit_chain');
create or replace trigger account_token_recorded after insert on account_tokens
  for each row execute function record_account_token();

-- A withdrawn invitation is an event of the account that made it. The invited address is not recorded.
create or replace function record_withdrawn_invitation() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', new.invited_by::text, jsonb_build_object('what', 'invitation withdrawn',
    'invitation', new.id::text, 'role', new.role));
  return null;
end $$;
call give_function('record_withdrawn_invitation', 'audit_chain');
-- named so that it runs after invitation_decision
create or replace trigger invitation_withdrawn after update of withdrawn_at on invitations
  for each row execute function record_withdrawn_invitation();

-- The use of such a link, beside the change of the user's row.
create or replace function record_link_used(account bigint, purpose text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', account::text, jsonb_build_object('what',
    case purpose when 'password' then 'password link used' else 'address link used' end));
end $$;
call give_function('record_link_used', 'audit_chain');
grant execute on function record_link_used to identity;

create or replace function record_external_identity() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', coalesce(new.user_id, old.user_id)::text, jsonb_build_object(
    'what', case tg_op when 'DELETE' then 'subject unlinked' else 'subject linked' end,
    'issuer', coalesce(new.issuer, old.issuer)));
  return null;
end $$;
call give_function('record_external_identity', 'audit_chain');
create or replace trigger external_identity_recorded after insert or update or delete on external_identities
  for each row execute function record_external_identity();
