-- Deletes what foreign keys do not: invitations to the user's address, and those that they sent, which nobody can
-- accept any more and which contain other people's addresses.
create or replace function forget_user() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from public.invitations i where i.invited_by = old.id or lower(i.email) = lower(old.email);
  return old;
end $$;
call give_function('forget_user', 'identity');

-- named so that it runs after lock_rights_of_deleted
create or replace trigger user_forgotten before delete on users
  for each row execute function forget_user();
