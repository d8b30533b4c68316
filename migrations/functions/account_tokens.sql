-- A link to choose a password or to confirm an address ends with what it rested on: another password, another address,
-- a suspension. So nobody who reads an old mail gets an account that was secured since.
create or replace function end_account_tokens() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from public.account_tokens t where t.user_id = new.id;
  return null;
end $$;
call give_function('end_account_tokens', 'identity');

create or replace trigger end_account_tokens after update on users for each row
  when (old.password_hash is distinct from new.password_hash or old.email <> new.email
    or (old.suspended_at is null and new.suspended_at is not null))
  execute function end_account_tokens();

-- A user asks for at most five new addresses in the life of a link: the service writes to addresses that it knows
-- nothing of. The lock on their row orders two questions at once: the second one's count includes the first.
create or replace function limit_new_addresses() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from public.account_tokens t where t.expires_at <= now();
  perform from public.users u where u.id = new.user_id for no key update;
  if 5 <= (select count(*) from public.account_tokens t where t.user_id = new.user_id and t.purpose = 'address') then
    raise exception using errcode = 'LG012', message = 'a user asks for at most five new addresses a day';
  end if;
  return new;
end $$;
call give_function('limit_new_addresses', 'identity');

create or replace trigger limit_new_addresses before insert on account_tokens
  for each row when (new.purpose = 'address') execute function limit_new_addresses();
