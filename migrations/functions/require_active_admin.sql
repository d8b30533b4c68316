-- There is always an active admin. The lock serializes two admins who demote each other, so that the second one's check
-- sees the first one's change.
create or replace function require_active_admin() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(7274503);
  perform from public.users where role = 'admin' and suspended_at is null;
  if not found then
    raise exception using errcode = 'LG003', message = 'the last active admin must stay';
  end if;
  return null;
end $$;
call give_function('require_active_admin', 'identity');

create or replace trigger users_keep_an_admin after update or delete on users
  for each row when (old.role = 'admin' and old.suspended_at is null) execute function require_active_admin();
