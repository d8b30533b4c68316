-- Deletes what foreign keys do not: invitations to the user's address, and those that they sent, which nobody can
-- accept any more and which contain other people's addresses. Those to an address end with the address, because later
-- nothing says whose it was.
create or replace function forget_user() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from public.invitations i
   where lower(i.email) = lower(old.email) or (tg_op = 'DELETE' and i.invited_by = old.id);
  return coalesce(new, old);
end $$;
call give_function('forget_user', 'identity');

-- named so that it runs after lock_rights_of_deleted
create or replace trigger user_forgotten before delete on users
  for each row execute function forget_user();
create or replace trigger address_forgotten before update on users for each row
  when (lower(old.email) <> lower(new.email)) execute function forget_user();
