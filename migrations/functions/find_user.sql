-- Whether a sign-in of a user is active: it has unexpired tokens, and none of its tokens was revoked. Each renewal
-- leaves a token behind, so both questions are answered by one row of an index.
create or replace function sign_in_lives(sign_in uuid, of_user bigint) returns boolean
  language sql stable as $$
    select exists (select from public.refresh_tokens t
        where t.family = sign_in and t.user_id = of_user and t.expires_at > now())
      and not exists (select from public.refresh_tokens t where t.family = sign_in and t.revoked_at is not null)
  $$;

-- Whether a personal token belongs to a user, and is neither revoked nor expired.
create or replace function personal_token_lives(token bigint, of_user bigint) returns boolean
  language sql stable as $$
    select exists (
      select from public.personal_tokens t
       where t.id = token and t.user_id = of_user and t.revoked_at is null and t.expires_at > now())
  $$;

-- One user by id; none if the sign-in or personal token given with it has ended.
create or replace function find_user(wanted bigint, sign_in uuid, personal_token bigint)
  returns table (id bigint, email text, name text, role text, suspended boolean, created_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select u.id, u.email, u.name, u.role, u.suspended_at is not null, u.created_at
      from public.users u
     where u.id = wanted and (sign_in is null or public.sign_in_lives(sign_in, wanted))
       and (personal_token is null or public.personal_token_lives(personal_token, wanted))
  $$;
call give_function('find_user', 'identity');

-- The user linked to a subject of an external issuer.
create or replace function find_external_user(wanted_issuer text, wanted_subject text)
  returns table (id bigint, email text, name text, role text, suspended boolean, created_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select u.* from public.external_identities e cross join lateral public.find_user(e.user_id, null, null) u
     where e.issuer = wanted_issuer and e.subject = wanted_subject
  $$;
call give_function('find_external_user', 'identity');

-- Like find_external_user, but creates the user as a viewer if there is none. The lock lets one request of a subject
-- create the user while others wait.
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
