-- A link to choose a password or to confirm an address ends with what it rested on: another password, another address, a
-- suspension. So nobody who reads an old mail gets an account that was secured since.
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
