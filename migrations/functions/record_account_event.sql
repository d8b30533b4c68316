-- What happens to accounts beside the rows of users: sign-ins, tokens, and subjects of an external issuer. No entry
-- holds a token, a password, an address, or what somebody typed. The caller's network comes with app.decision.

-- A sign-in begins with the first refresh token of its family. Those that follow from it begin none.
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

-- One that was refused changes no row, so the service says so. `account`: null where there is none by that name.
create or replace function record_refused_sign_in(account bigint, grant_type text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', account::text,
    jsonb_build_object('what', 'sign-in refused', 'with', grant_type));
end $$;
call give_function('record_refused_sign_in', 'audit_chain');
grant execute on function record_refused_sign_in to identity;

-- An access token that the command line signed: no row holds it.
create or replace function record_signed_token(account bigint, token text, scopes text[], expires_at timestamptz)
  returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', account::text, jsonb_build_object('what', 'token signed', 'token_id', token,
    'scopes', scopes, 'expires_at', expires_at));
end $$;
call give_function('record_signed_token', 'audit_chain');
grant execute on function record_signed_token to identity;

-- A personal token that no request made. Those that requests make come with their decision (record_decision.sql).
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

-- A link by which somebody may choose a new password or confirm a new address. The address is not recorded.
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

-- An invitation that was withdrawn is an event of the account that made it. The invited address is not recorded.
create or replace function record_withdrawn_invitation() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('user', new.invited_by::text, jsonb_build_object('what', 'invitation withdrawn',
    'invitation', new.id::text, 'role', new.role));
  return null;
end $$;
call give_function('record_withdrawn_invitation', 'audit_chain');
-- the name puts it after invitation_decision
create or replace trigger invitation_withdrawn after update of withdrawn_at on invitations
  for each row execute function record_withdrawn_invitation();

-- What was done by such a link, beside the change of the user's row.
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
