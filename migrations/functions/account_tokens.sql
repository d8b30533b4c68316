-- A link for choosing a password or confirming an address ends with a new password, a new address or a suspension, so
-- that an old mail gives nobody access to an account that has been secured since. A link to a new address leaves a row
-- that no token opens and that names nobody: its mail was sent, and counts below.
create or replace function end_account_tokens() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from public.account_tokens t where t.user_id = new.id and t.purpose = 'password';
  update public.account_tokens t set token_hash = sha256(uuid_send(gen_random_uuid())), email = 'ended@link.invalid'
    where t.user_id = new.id;
  return null;
end $$;
call give_function('end_account_tokens', 'identity');
grant update (token_hash, email) on account_tokens to identity;

create or replace trigger end_account_tokens after update on users for each row
  when (old.password_hash is distinct from new.password_hash or old.email <> new.email
    or (old.suspended_at is null and new.suspended_at is not null))
  execute function end_account_tokens();

-- A user may request at most five new addresses within the lifetime of a link, because the service mails to addresses
-- that it knows nothing about. Only a confirmed one counts no longer. The lock on their row serializes requests, so
-- that the second one's count includes the first.
create or replace function limit_new_addresses() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  live integer;
  first_end timestamptz;
begin
  perform from public.users u where u.id = new.user_id for no key update;
  -- Expired links of all users. `skip locked`: to wait for another user's change, which ends theirs, may deadlock.
  delete from public.account_tokens t
   where t.id in (select o.id from public.account_tokens o where o.expires_at <= now() for update skip locked);
  select count(*), min(t.expires_at) into live, first_end from public.account_tokens t
   where t.user_id = new.user_id and t.purpose = 'address' and t.expires_at > now();
  if live >= 5 then
    -- detail: in how many seconds there is room for another
    raise exception using errcode = 'LG012', message = 'a user asks for at most five new addresses a day',
      detail = ceil(extract(epoch from first_end - now()));
  end if;
  return new;
end $$;
call give_function('limit_new_addresses', 'identity');

create or replace trigger limit_new_addresses before insert on account_tokens
  for each row when (new.purpose = 'address') execute function limit_new_addresses();
