-- One user by their id; none where the sign-in that the caller's token came from is over.
create or replace function find_user(wanted bigint, sign_in uuid)
  returns table (id bigint, email text, name text, role text, suspended boolean, created_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select u.id, u.email, u.name, u.role, u.suspended_at is not null, u.created_at
      from public.users u
     where u.id = wanted
       and not exists (select from public.refresh_tokens t where t.family = sign_in and t.revoked_at is not null)
  $$;
call give_function('find_user', 'identity');

-- The user whom a subject of an external issuer is.
create or replace function find_external_user(wanted_issuer text, wanted_subject text)
  returns table (id bigint, email text, name text, role text, suspended boolean, created_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select u.* from public.external_identities e cross join lateral public.find_user(e.user_id, null) u
     where e.issuer = wanted_issuer and e.subject = wanted_subject
  $$;
call give_function('find_external_user', 'identity');

-- As find_external_user, but makes the user, as a viewer, where there is none. The lock lets one request of a subject
-- make the user while others wait.
create or replace function admit_external_user(wanted_issuer text, wanted_subject text, new_email text)
  returns table (id bigint, email text, name text, role text, suspended boolean, created_at timestamptz)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  made bigint;
begin
  perform pg_advisory_xact_lock(7274504, hashtext(wanted_issuer || ' ' || wanted_subject));
  if not exists (
    select from public.external_identities e where e.issuer = wanted_issuer and e.subject = wanted_subject) then
    insert into public.users (email, role) values (new_email, 'viewer') returning users.id into made;
    insert into public.external_identities (issuer, subject, user_id) values (wanted_issuer, wanted_subject, made);
  end if;
  return query select * from public.find_external_user(wanted_issuer, wanted_subject);
end $$;
call give_function('admit_external_user', 'identity');
