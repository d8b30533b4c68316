-- Orders a user's changes with what takes their rights away (promise 1). A change holds its caller's lock shared until
-- it ends; a suspension, another role, the end of a sign-in, of a token or of an identity holds it exclusively. So no
-- change of theirs commits after the other was acknowledged, whatever waits for what. `acting`: who makes the change;
-- `losing`: whose rights it takes; each may be null. Always in one order, so that two users who suspend each other wait
-- and are no deadlock.
create or replace function lock_rights(acting bigint, losing bigint) returns void
  language plpgsql volatile as $$
declare
  acting_key int := acting % 2147483647;
  losing_key int := losing % 2147483647;
begin
  if acting_key < losing_key then
    perform pg_advisory_xact_lock_shared(7274507, acting_key);
  end if;
  if losing_key is not null then
    perform pg_advisory_xact_lock(7274507, losing_key);
  end if;
  if losing_key is null or acting_key > losing_key then
    perform pg_advisory_xact_lock_shared(7274507, acting_key);
  end if;
end $$;

-- For whatever takes rights without asking first, by hand too. Argument: the column that names the user.
create or replace function lock_lost_rights() returns trigger
  language plpgsql as $$
begin
  perform public.lock_rights(null, (to_jsonb(old) ->> tg_argv[0])::bigint);
  return coalesce(new, old);
end $$;

create or replace trigger lock_lost_rights before update on users for each row
  when (old.role <> new.role or (old.suspended_at is null and new.suspended_at is not null))
  execute function lock_lost_rights('id');
create or replace trigger lock_lost_rights before update on refresh_tokens for each row
  when (old.revoked_at is null and new.revoked_at is not null) execute function lock_lost_rights('user_id');
create or replace trigger lock_lost_rights before update on personal_tokens for each row
  when (old.revoked_at is null and new.revoked_at is not null) execute function lock_lost_rights('user_id');
create or replace trigger lock_lost_rights before update on external_identities for each row
  execute function lock_lost_rights('user_id');

create or replace trigger lock_rights_of_deleted before delete on users for each row
  execute function lock_lost_rights('id');
-- expired tokens give no rights, and a sign-in sweeps them
create or replace trigger lock_rights_of_deleted before delete on refresh_tokens for each row
  when (old.expires_at > now()) execute function lock_lost_rights('user_id');
create or replace trigger lock_rights_of_deleted before delete on personal_tokens for each row
  execute function lock_lost_rights('user_id');
create or replace trigger lock_rights_of_deleted before delete on external_identities for each row
  execute function lock_lost_rights('user_id');
