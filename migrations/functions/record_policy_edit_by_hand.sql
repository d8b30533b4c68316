-- Policy rows that somebody changes beside the service (psql, a restore) become a revision too: every process notices,
-- and no decision names a revision that had other rows. Invariants are checked when the revision is loaded.
create or replace function record_policy_edit_by_hand() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  next bigint;
  added jsonb := '[]';
  removed jsonb := '[]';
begin
  -- the service's own edit writes its revision itself (src/policy/edit.ts)
  if current_setting('app.policy_edit', true) = 'on' then
    return null;
  end if;
  perform pg_advisory_xact_lock(7274501);
  if tg_op in ('INSERT', 'UPDATE') then
    select coalesce(jsonb_agg(jsonb_build_array(ptype) || rule), '[]') into added from new_rows;
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    select coalesce(jsonb_agg(jsonb_build_array(ptype) || rule), '[]') into removed from old_rows;
  elsif tg_op = 'TRUNCATE' then
    select coalesce(jsonb_agg(jsonb_build_array(ptype) || rule), '[]') into removed from public.casbin;
  end if;
  if added = '[]' and removed = '[]' then
    return null;
  end if;
  update public.policy_head set revision = revision + 1 returning revision into next;
  insert into public.policy_revisions (revision, actor, reason, added, removed, decisions_changed, model_sha256)
    values (next, session_user, 'rows changed in the database, beside the service', added, removed, '[]', '');
  perform pg_notify('linkgate_policy', next::text);
  return null;
end $$;
-- It runs as the schema's owner: nobody else may put it on a table of their own.
revoke execute on function record_policy_edit_by_hand from public;

create or replace trigger by_hand_insert after insert on casbin referencing new table as new_rows
  for each statement execute function record_policy_edit_by_hand();
create or replace trigger by_hand_delete after delete on casbin referencing old table as old_rows
  for each statement execute function record_policy_edit_by_hand();
create or replace trigger by_hand_update after update on casbin referencing old table as old_rows new table as new_rows
  for each statement execute function record_policy_edit_by_hand();
-- before, while there still are rows to note
create or replace trigger by_hand_truncate before truncate on casbin
  for each statement execute function record_policy_edit_by_hand();
