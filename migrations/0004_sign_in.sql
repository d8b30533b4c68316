-- Sign-ins. A token is known by its SHA-256 alone; all that follow from one sign-in are a family, and a family is over as
-- soon as one of its tokens is revoked.
create table refresh_tokens (
  id         bigint generated always as identity primary key,
  family     uuid not null,
  user_id    bigint not null references users (id) on delete cascade,
  token_hash bytea not null constraint refresh_tokens_hash_key unique check (octet_length(token_hash) = 32),
  scope      text not null check (length(scope) <= 2000),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz,
  revoked_at timestamptz
);
create index refresh_tokens_family on refresh_tokens (family);
create index refresh_tokens_user on refresh_tokens (user_id, expires_at);

alter table refresh_tokens enable row level security;
alter table refresh_tokens force row level security;
create policy refresh_tokens_identity on refresh_tokens to identity using (true) with check (true);

-- What a token grants, to whom and until when is settled when it is made.
grant select, insert, delete on refresh_tokens to identity;
grant update (used_at, revoked_at) on refresh_tokens to identity;

-- One user by their id, as they are now; none where the sign-in that the caller's token came from is over.
create function find_user(wanted bigint, sign_in uuid)
  returns table (id bigint, email text, name text, role text, suspended boolean, created_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select u.id, u.email, u.name, u.role, u.suspended_at is not null, u.created_at from public.users u
     where u.id = wanted
       and not exists (select from public.refresh_tokens t where t.family = sign_in and t.revoked_at is not null)
  $$;
-- Who an external issuer's subjects are here. A subject means something only together with its issuer.
create table external_identities (
  issuer     text collate "C" not null check (length(issuer) between 1 and 2048),
  subject    text collate "C" not null check (length(subject) between 1 and 255),
  user_id    bigint not null references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index external_identities_user on external_identities (user_id);
alter table external_identities enable row level security;
alter table external_identities force row level security;
create policy external_identities_identity on external_identities to identity using (true) with check (true);
grant select, insert on external_identities to identity;

create function find_external_user(wanted_issuer text, wanted_subject text)
  returns table (id bigint, email text, name text, role text, suspended boolean, created_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select u.id, u.email, u.name, u.role, u.suspended_at is not null, u.created_at
      from public.external_identities e join public.users u on u.id = e.user_id
     where e.issuer = wanted_issuer and e.subject = wanted_subject
  $$;

-- The user of a subject, made as a viewer where there is none. The lock orders first requests of one subject that meet.
create function admit_external_user(wanted_issuer text, wanted_subject text, new_email text)
  returns table (id bigint, email text, name text, role text, suspended boolean, created_at timestamptz)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  made bigint;
begin
  perform pg_advisory_xact_lock(7274504, hashtext(wanted_issuer || ' ' || wanted_subject));
  if not exists (select from public.external_identities e where e.issuer = wanted_issuer and e.subject = wanted_subject) then
    insert into public.users (email, role) values (new_email, 'viewer') returning users.id into made;
    insert into public.external_identities (issuer, subject, user_id) values (wanted_issuer, wanted_subject, made);
  end if;
  return query select * from public.find_external_user(wanted_issuer, wanted_subject);
end $$;

grant create on schema public to identity;
alter function find_user owner to identity;
alter function find_external_user owner to identity;
alter function admit_external_user owner to identity;
revoke create on schema public from identity;
revoke execute on function find_user, find_external_user, admit_external_user from public;
