-- Serializes a user's changes with whatever takes their rights (promise 1). A change holds its caller's lock shared
-- until it ends; a suspension, a new role, and the end of a sign-in, a token or an identity take it exclusively. So no
-- change of theirs commits after the loss of rights was acknowledged, whatever it waited for. `acting`: the user who
-- makes the change; `losing`: the user who loses rights; each may be null. The locks are taken in a fixed order, so
-- that two users who suspend each other wait instead of deadlocking.
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

-- A trigger for changes that take rights without calling lock_rights, including those by hand. Argument: the column
-- with the user's id.
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
-- expired tokens grant no rights, and are deleted at sign-ins
create or replace trigger lock_rights_of_deleted before delete on refresh_tokens for each row
  when (old.expires_at > now()) execute function lock_lost_rights('user_id');
create or replace trigger lock_rights_of_deleted before delete on personal_tokens for each row
  execute function lock_lost_rights('user_id');
create or replace trigger lock_rights_of_deleted before delete on external_identities for each row
  execute function lock_lost_rights('user_id');

-- What was taken stays taken: a token that was revoked or used, and an invitation that was accepted or withdrawn, is
-- not revived, and no token joins the sign-in of somebody else. Whoever has the service's login needs a new row, which
-- the log records.
create or replace function refuse_revival() returns trigger
  language plpgsql as $$
begin
  raise exception using errcode = 'insufficient_privilege', message = tg_table_name || ': what has ended stays ended';
end $$;
create or replace trigger ended_stays_ended before update on refresh_tokens for each row
  when ((old.revoked_at is not null and new.revoked_at is null) or (old.used_at is not null and new.used_at is null)
    or new.family <> old.family or new.user_id <> old.user_id) execute function refuse_revival();
create or replace trigger ended_stays_ended before update on personal_tokens for each row
  when ((old.revoked_at is not null and new.revoked_at is null) or new.user_id <> old.user_id)
  execute function refuse_revival();
create or replace trigger ended_stays_ended before update on invitations for each row
  when ((old.accepted_at is not null and new.accepted_at is null)
    or (old.withdrawn_at is not null and new.withdrawn_at is null)) execute function refuse_revival();

create or replace function require_own_family() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from public.refresh_tokens t where t.family = new.family and t.user_id <> new.user_id) then
    raise exception using errcode = 'insufficient_privilege', message = 'a sign-in belongs to one user';
  end if;
  return new;
end $$;
call give_function('require_own_family', 'identity');
create or replace trigger family_of_one_user before insert on refresh_tokens
  for each row execute function require_own_family();
