-- Adds an entry for a change of a user, the policy or the log, with the request and the caller if a request made it,
-- and otherwise with the database session.
create or replace function record_change(kind text, code text, change jsonb, link bigint default null) returns void
  language plpgsql as $$
declare
  decision jsonb := nullif(current_setting('app.decision', true), '')::jsonb;
  by_whom jsonb := case when decision is null then jsonb_build_object('by',
    concat_ws(' ', session_user, nullif(current_setting('application_name', true), ''))) else '{}' end;
begin
  insert into public.decisions
      (kind, request_id, revision, subject_id, subject_role, token_id, network, resource_type, resource_code, change,
       resource_id)
    values (kind, coalesce(decision ->> 'request_id', ''), (select h.revision from public.policy_head h),
      (decision ->> 'subject_id')::bigint, decision ->> 'subject_role', decision ->> 'token_id',
      decision ->> 'network', kind, code, change || by_whom, link);
end $$;
revoke execute on function record_change from public;
grant execute on function record_change to audit_chain;

create or replace function record_user_change() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed boolean := tg_op = 'UPDATE';
  change jsonb := jsonb_strip_nulls(jsonb_build_object(
    'role', case when new.role is distinct from old.role then jsonb_build_array(old.role, new.role) end,
    'suspended', case when changed and (new.suspended_at is null) <> (old.suspended_at is null)
      then jsonb_build_array(old.suspended_at is not null, new.suspended_at is not null) end,
    'email', case when changed and new.email <> old.email then 'changed' end,
    'name', case when changed and new.name <> old.name then 'changed' end,
    'password', case when changed and new.password_hash is distinct from old.password_hash then 'changed' end));
begin
  if change <> '{}' then
    perform public.record_change('user', coalesce(new.id, old.id)::text, change || jsonb_build_object('what',
      case tg_op when 'INSERT' then 'added' when 'DELETE' then 'deleted' else 'changed' end));
  end if;
  return null;
end $$;
call give_function('record_user_change', 'audit_chain');
-- named so that it runs after user_decision: first the decision, then the change
create or replace trigger user_recorded after insert or update or delete on users
  for each row execute function record_user_change();

-- A link changed without a request: by the command line, as `identity`. Changes by requests are recorded with their
-- decision.
create or replace function record_link_change() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('link', coalesce(new.code, old.code), jsonb_build_object('what',
    case tg_op when 'INSERT' then 'added' when 'DELETE' then 'deleted' else 'changed' end)
    || case when tg_op = 'INSERT' and new.owner_id is not null
      then jsonb_build_object('owner', new.owner_id::text) else '{}' end
    || case when tg_op = 'UPDATE' and new.owner_id is distinct from old.owner_id
      then jsonb_build_object('owner', jsonb_build_array(old.owner_id::text, new.owner_id::text)) else '{}' end
    || case when tg_op = 'UPDATE' and new.code <> old.code
      then jsonb_build_object('code', jsonb_build_array(old.code, new.code)) else '{}' end, coalesce(new.id, old.id));
  return null;
end $$;
call give_function('record_link_change', 'audit_chain');
create or replace trigger link_recorded after insert or delete or update of id, code, target, owner_id,
  created_at, updated_at, version, title, note, tags, status, active, starts_at, expires_at, max_visits, password_hash,
  has_password, forward_query on links
  for each row when (current_setting('role') = 'identity') execute function record_link_change();
create or replace trigger deleted_link_recorded after update of owner_id on deleted_links
  for each row when (current_setting('role') = 'identity') execute function record_link_change();

create or replace function record_policy_revision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- a user is recorded only by id: the log outlives them
  perform public.record_change('policy', new.revision::text, jsonb_strip_nulls(jsonb_build_object('what', 'revision',
    'reason', new.reason, 'actor', case when new.actor_id is null then new.actor end, 'actor_id', new.actor_id::text,
    'added', jsonb_array_length(new.added), 'removed', jsonb_array_length(new.removed),
    'comments', nullif(jsonb_array_length(new.comments), 0), 'proposal', new.proposal::text,
    'approved_by', new.approved_by::text, 'approver', new.approver,
    'without_approval', case when new.without_approval then true end,
    'decisions_changed', case when jsonb_typeof(new.decisions_changed) = 'array'
      then jsonb_array_length(new.decisions_changed) end)));
  return null;
end $$;
call give_function('record_policy_revision', 'audit_chain');
create or replace trigger policy_recorded after insert on policy_revisions
  for each row execute function record_policy_revision();
