-- No request creates, changes or deletes a record without the entry of the decision that allowed it: both commit, or
-- neither (docs/decisions/0008). Arguments: the record's type, and for everything but links the column that names the
-- record to readers.
create or replace function record_decision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  decision constant jsonb := nullif(current_setting('app.decision', true), '')::jsonb;
  code text;
  link bigint;
  change jsonb;
begin
  if decision is null then
    raise exception using errcode = 'LG002',
      message = format('a %s changes only together with the decision that allowed it', tg_argv[0]);
  end if;
  if tg_argv[0] = 'link' then
    code := coalesce(new.code, old.code);
    link := coalesce(new.id, old.id);
    if tg_op = 'UPDATE' and (new.code <> old.code or new.owner_id is distinct from old.owner_id) then
      change := jsonb_strip_nulls(jsonb_build_object(
        'code', case when new.code <> old.code then jsonb_build_array(old.code, new.code) end,
        'owner', case when new.owner_id is distinct from old.owner_id
          then jsonb_build_array(old.owner_id::text, new.owner_id::text) end));
    elsif tg_op = 'INSERT' and new.version > 1 then
      -- restored from the trash: a new link has version 1
      change := '{"restored": true}';
    end if;
  else
    code := to_jsonb(coalesce(new, old)) ->> tg_argv[1];
  end if;
  -- Any login can set app.decision, so only the decision itself is taken from it.
  insert into public.decisions
      (request_id, revision, layer, subject_id, subject_role, token_id, action, relation, effect, rule, row_priority,
       status, resource_type, resource_code, resource_id, change)
    values (decision ->> 'request_id', (decision ->> 'revision')::bigint, decision ->> 'layer',
      (decision ->> 'subject_id')::bigint, decision ->> 'subject_role', decision ->> 'token_id',
      decision ->> 'action', decision ->> 'relation', decision ->> 'effect', decision ->> 'rule',
      (decision ->> 'row_priority')::integer, (decision ->> 'status')::integer, tg_argv[0], code, link, change);
  return null;
end $$;
call give_function('record_decision', 'audit_chain');

-- All columns except `used`: counting a visit does not change the record (take_visit.sql). Not for the command line,
-- which runs as `identity`: it makes no decisions, and record_change.sql records what it does.
create or replace trigger link_decision after insert or delete or update of id, code, target, owner_id,
  created_at, updated_at, version, title, note, tags, status, active, starts_at, expires_at, max_visits, password_hash,
  has_password, forward_query on links
  for each row when (current_setting('role') <> 'identity') execute function record_decision('link');
create or replace trigger deleted_link_decision after update of owner_id on deleted_links
  for each row when (current_setting('role') <> 'identity') execute function record_decision('link');
create or replace trigger user_decision after update or delete on users
  for each row when (current_setting('role') in ('users_own', 'users_any'))
  execute function record_decision('user', 'id');
create or replace trigger personal_token_decision after insert or update of revoked_at on personal_tokens
  for each row when (current_setting('role') <> 'identity') execute function record_decision('personal_token', 'id');
create or replace trigger sign_in_decision after update of revoked_at on refresh_tokens
  for each row when (current_setting('role') = 'users_own') execute function record_decision('sign_in', 'family');
create or replace trigger account_token_decision after insert on account_tokens
  for each row when (current_setting('role') = 'users_own') execute function record_decision('user', 'user_id');
create or replace trigger invitation_decision after insert or update of withdrawn_at on invitations
  for each row execute function record_decision('invitation', 'id');
-- The decision of an approval is recorded with its revision (src/policy/commit-edit.ts); the command line makes no
-- decisions.
create or replace trigger proposal_decision after insert or update on policy_proposals
  for each row when (new.state <> 'applied' and coalesce(current_setting('app.decision', true), '') <> '')
  execute function record_decision('policy_proposal', 'id');
