-- The rows, in the shape that casbin-pg-adapter reads and writes: `rule` is a JSON array of texts.
create table casbin (
  id    bigint generated always as identity primary key,
  ptype text not null check (ptype in ('p', 'p2', 'g')),
  rule  jsonb not null check (jsonb_typeof(rule) = 'array'),
  constraint casbin_row_key unique (ptype, rule)
);
-- one row a priority: two rows with one priority would leave the order to chance
create unique index casbin_priority_key on casbin (((rule ->> 0)::bigint)) where ptype = 'p';
create index casbin_first_field on casbin (ptype, (rule ->> 0));

create table policy_revisions (
  revision          bigint primary key check (revision > 0),
  actor_id          bigint,
  actor             text not null,
  reason            text not null check (length(reason) between 1 and 1000),
  time              timestamptz not null default clock_timestamp(),
  added             jsonb not null,
  removed           jsonb not null,
  decisions_changed jsonb not null,
  model_sha256      text not null
);

-- The revision in force: one row.
create table policy_head (
  only_row boolean primary key default true check (only_row),
  revision bigint not null
);
insert into policy_head (revision) values (0);

grant select on casbin, policy_revisions, policy_head to policy_editor;
grant insert, delete on casbin to policy_editor;
grant insert on policy_revisions to policy_editor;
grant update (revision) on policy_head to policy_editor;

-- Rows that somebody changes beside the service (psql, a restore) become a revision too, so that every process notices and
-- no decision is ever made under rows whose revision says otherwise. Who and what is recorded; invariants are asked when it loads.
create function record_policy_edit_by_hand() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  next bigint;
  added jsonb := '[]';
  removed jsonb := '[]';
begin
  perform pg_advisory_xact_lock(7274501);
  if tg_op in ('INSERT', 'UPDATE') then
    execute 'select coalesce(jsonb_agg(jsonb_build_array(ptype) || rule), ''[]'') from new_rows' into added;
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    execute 'select coalesce(jsonb_agg(jsonb_build_array(ptype) || rule), ''[]'') from old_rows' into removed;
  end if;
  if tg_op = 'TRUNCATE' then
    select coalesce(jsonb_agg(jsonb_build_array(c.ptype) || c.rule), '[]') into removed from public.casbin c;
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
-- It runs as the schema's owner: nobody may hang it on a table of their own.
revoke execute on function record_policy_edit_by_hand from public;
create trigger by_hand_insert after insert on casbin referencing new table as new_rows
  for each statement when (current_setting('app.policy_edit', true) is distinct from 'on') execute function record_policy_edit_by_hand();
create trigger by_hand_delete after delete on casbin referencing old table as old_rows
  for each statement when (current_setting('app.policy_edit', true) is distinct from 'on') execute function record_policy_edit_by_hand();
create trigger by_hand_update after update on casbin referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('app.policy_edit', true) is distinct from 'on') execute function record_policy_edit_by_hand();
-- before, while there still is something to note
create trigger by_hand_truncate before truncate on casbin
  for each statement when (current_setting('app.policy_edit', true) is distinct from 'on') execute function record_policy_edit_by_hand();

-- What was decided. Append-only for every role of the service.
create table decisions (
  id            bigint generated always as identity primary key,
  time          timestamptz not null default clock_timestamp(),
  request_id    text not null,
  revision      bigint not null,
  layer         text not null,
  subject_id    bigint,
  subject_role  text not null,
  token_id      text,
  -- of a caller without a user: the address, reduced to its network
  network       text,
  action        text not null,
  resource_type text not null,
  resource_code text,
  relation      text not null,
  effect        text not null check (effect in ('allow', 'deny')),
  rule          text not null,
  row_priority  integer,
  status        integer not null
);
grant insert on decisions to links_own, links_any, users_own, users_any, policy_editor, audit_writer;
create index decisions_of_subject on decisions (subject_id, id);
grant select on decisions to audit_reader;

-- The way into a transaction that changes something (promise 1 of the contract). The shared lock first, the revision after
-- it, in a statement of its own: within one statement the revision would be read from a snapshot older than the lock.
-- A policy edit takes the exclusive form of the lock, so what is read here stays true until this transaction is over.
create function enter_change(entered_role text, user_id bigint, decided_under bigint, decision jsonb) returns void
  language plpgsql volatile as $$
declare
  in_force bigint;
begin
  perform pg_advisory_xact_lock_shared(7274501);
  select revision into in_force from public.policy_head;
  if in_force is distinct from decided_under then
    raise exception using errcode = 'LG001', message = format('decided under revision %s, revision %s is in force', decided_under, in_force);
  end if;
  perform set_config('app.decision', decision::text, true);
  perform enter(entered_role, user_id);
end $$;

-- Nothing of a request's roles is made, changed or deleted without the record of the decision that allowed it: both commit,
-- or neither. Arguments: the resource's type, and the column that names the record to a reader.
create function record_decision() returns trigger
  language plpgsql as $$
declare
  decision jsonb := nullif(current_setting('app.decision', true), '')::jsonb;
  record_name text := to_jsonb(case when tg_op = 'DELETE' then old else new end) ->> tg_argv[1];
begin
  if decision is null then
    raise exception using errcode = 'LG002', message = format('a %s changes only together with the decision that allowed it', tg_argv[0]);
  end if;
  insert into public.decisions (request_id, revision, layer, subject_id, subject_role, token_id, action, resource_type, resource_code, relation, effect, rule, row_priority, status)
    values (decision ->> 'request_id', (decision ->> 'revision')::bigint, decision ->> 'layer', (decision ->> 'subject_id')::bigint,
            decision ->> 'subject_role', decision ->> 'token_id', decision ->> 'action', tg_argv[0], record_name,
            decision ->> 'relation', decision ->> 'effect', decision ->> 'rule', (decision ->> 'row_priority')::integer,
            (decision ->> 'status')::integer);
  return null;
end $$;
create trigger link_decision after insert or update or delete on links
  for each row execute function record_decision('link', 'code');
create trigger user_decision after update on users
  for each row when (current_setting('role') in ('users_own', 'users_any')) execute function record_decision('user', 'id');
