-- Fails with LG011 unless this is still the hash of the caller's password, and keeps it until the transaction ends: who
-- knows only an earlier password can neither replace the new one nor move the account to another address.
create or replace function require_password(hash text) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from public.users u
    where u.id = nullif(current_setting('app.user_id', true), '')::bigint and u.password_hash = hash for no key update;
  perform public.require_row(found);
end $$;
call give_function('require_password', 'identity');
grant execute on function require_password to users_own;
