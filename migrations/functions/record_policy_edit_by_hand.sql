-- No row of the policy changes without a revision for it. The changes that a transaction makes in `casbin`, and those
-- that it writes to the history, are recorded; at the commit both must match. Rows changed without a revision (psql, a
-- restore, a stolen login role) become one, so that every process notices, and no decision names a revision that had
-- other rows. A revision that does not match the changes is refused. No setting of a session switches this off.
-- Invariants are checked when the revision is loaded.

-- A row in the form of the history (an object of its fields, or a list of texts if it was written by hand), as stored.
create or replace function policy_row_of(entry jsonb, out ptype text, out rule jsonb)
  language sql immutable set search_path = pg_catalog, pg_temp as $$
    select coalesce(case jsonb_typeof(entry) when 'array' then entry ->> 0 else entry ->> 'ptype' end, ''),
      case
        when jsonb_typeof(entry) = 'array' then entry - 0
        when entry ->> 'ptype' = 'p' then jsonb_build_array(entry ->> 'priority', entry ->> 'rule', entry ->> 'role',
          entry ->> 'action', entry ->> 'reach', entry ->> 'effect')
        when entry ->> 'ptype' = 'p2' then jsonb_build_array(entry ->> 'role', entry ->> 'action')
        when entry ->> 'ptype' = 'g' then jsonb_build_array(entry ->> 'role', entry ->> 'inherits')
        else jsonb_build_array(entry)
      end
  $$;
revoke execute on function policy_row_of from public;

-- The rows that a revision lists as added (1) and removed (-1).
create or replace function policy_rows_claimed(added jsonb, removed jsonb)
  returns table (ptype text, rule jsonb, change integer)
  language sql immutable set search_path = pg_catalog, pg_temp as $$
    select r.ptype, r.rule, 1 from jsonb_array_elements(added) entry, public.policy_row_of(entry) r
    union all
    select r.ptype, r.rule, -1 from jsonb_array_elements(removed) entry, public.policy_row_of(entry) r
  $$;
revoke execute on function policy_rows_claimed from public;

-- Records a statement's changes of the rows, the history or the head, to be checked at the commit.
create or replace function note_policy_change() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  written bigint;
begin
  -- exclusive: no change that was decided under the previous rows commits after these
  perform pg_advisory_xact_lock(7274501);
  if tg_table_name = 'casbin' then
    if tg_op in ('INSERT', 'UPDATE') then
      insert into public.policy_row_changes (ptype, rule, change, claimed)
        select n.ptype, n.rule, 1, false from new_rows n;
    end if;
    if tg_op in ('DELETE', 'UPDATE') then
      insert into public.policy_row_changes (ptype, rule, change, claimed)
        select o.ptype, o.rule, -1, false from old_rows o;
    elsif tg_op = 'TRUNCATE' then
      insert into public.policy_row_changes (ptype, rule, change, claimed)
        select c.ptype, c.rule, -1, false from public.casbin c order by c.id;
    end if;
  elsif tg_table_name = 'policy_revisions' then
    if exists (select from public.policy_edits_open o where o.transaction = pg_current_xact_id() and o.settling) then
      return null;
    end if;
    if (select count(*) from new_rows) <> 1 or exists (
      select from public.policy_edits_open o where o.transaction = pg_current_xact_id() and o.revision is not null) then
      raise exception 'a transaction writes one policy revision' using errcode = 'integrity_constraint_violation';
    end if;
    select n.revision into written from new_rows n;
    if written <> (
      select coalesce(max(p.revision), 0) + 1 from public.policy_revisions p where p.revision <> written) then
      raise exception 'policy revision % does not follow the newest one', written
        using errcode = 'integrity_constraint_violation';
    end if;
    insert into public.policy_row_changes (ptype, rule, change, claimed)
      select c.ptype, c.rule, c.change, true
        from new_rows n, public.policy_rows_claimed(n.added, n.removed) c;
  end if;
  insert into public.policy_edits_open as o (revision) values (written)
    on conflict (transaction) do update set revision = excluded.revision where excluded.revision is not null;
  return null;
end $$;
revoke execute on function note_policy_change from public;

-- Runs at the commit (or after each statement, if the session checks constraints immediately).
create or replace function settle_policy_edit() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  decision text := coalesce(current_setting('app.decision', true), '');
  own bigint;
  newest bigint;
  added jsonb;
  removed jsonb;
begin
  update public.policy_edits_open o set settling = true
   where o.transaction = pg_current_xact_id() and not o.settling returning o.revision into own;
  if not found then
    return null;
  end if;
  with net as (
    select c.ptype, c.rule, min(c.id) as first, sum(c.change) filter (where not c.claimed) as done,
        sum(c.change) filter (where c.claimed) as said, count(*) filter (where c.claimed) as times
      from public.policy_row_changes c where c.transaction = pg_current_xact_id() group by c.ptype, c.rule
  ), different as (
    select jsonb_build_array(n.ptype) || n.rule as entry, n.first, coalesce(n.done, 0) as done from net n
     where coalesce(n.done, 0) <> coalesce(n.said, 0) or n.times > 1
  )
  select coalesce(jsonb_agg(d.entry order by d.first) filter (where d.done > 0), '[]'),
      coalesce(jsonb_agg(d.entry order by d.first) filter (where d.done <= 0), '[]')
    into added, removed from different d;
  select coalesce(max(p.revision), 0) into newest from public.policy_revisions p;
  if added <> '[]' or removed <> '[]' then
    if own is not null then
      raise exception 'policy revision % does not say what its transaction changes in the rows', own
        using errcode = 'integrity_constraint_violation';
    end if;
    newest := newest + 1;
    update public.policy_head set revision = newest;
    -- these rows were changed by the user of the session, whoever it claims to act for; what they change is found out
    -- when somebody asks (src/routes/policy.ts)
    perform set_config('app.decision', '', true);
    insert into public.policy_revisions (revision, actor, reason, added, removed, decisions_changed, model_sha256)
      values (newest, session_user, 'rows changed in the database, beside the service', added, removed, 'null', '');
    perform set_config('app.decision', decision, true);
    perform pg_notify('linkgate_policy', newest::text);
  elsif (select h.revision from public.policy_head h) <> newest then
    -- the head is the newest revision, whatever was written to it
    update public.policy_head set revision = newest;
  end if;
  delete from public.policy_row_changes c where c.transaction = pg_current_xact_id();
  delete from public.policy_edits_open o where o.transaction = pg_current_xact_id();
  return null;
end $$;
revoke execute on function settle_policy_edit from public;

-- Writes a revision for rows that no revision accounts for: somebody changed them while the triggers were off, or
-- restored a part of the database. Returns whether there were any.
create or replace function record_unexplained_policy_rows() returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  next bigint;
  added jsonb;
  removed jsonb;
begin
  perform pg_advisory_xact_lock(7274501);
  with history as (
    select distinct on (c.ptype, c.rule) c.ptype, c.rule, c.change
      from public.policy_revisions p, public.policy_rows_claimed(p.added, p.removed) c
     order by c.ptype, c.rule, p.revision desc
  ), different as (
    select coalesce(h.ptype, c.ptype) as ptype, coalesce(h.rule, c.rule) as rule, h.ptype is null as extra
      from (select * from history where change = 1) h
      full join public.casbin c on c.ptype = h.ptype and c.rule = h.rule
     where h.ptype is null or c.ptype is null
  )
  select coalesce(jsonb_agg(jsonb_build_array(d.ptype) || d.rule) filter (where d.extra), '[]'),
      coalesce(jsonb_agg(jsonb_build_array(d.ptype) || d.rule) filter (where not d.extra), '[]')
    into added, removed from different d;
  if added = '[]' and removed = '[]' then
    return false;
  end if;
  select coalesce(max(p.revision), 0) + 1 into next from public.policy_revisions p;
  -- like settle_policy_edit, but the rows exist already, so this revision is not compared with changes
  perform set_config('app.decision', '', true);
  insert into public.policy_edits_open (settling) values (true);
  update public.policy_head set revision = next;
  insert into public.policy_revisions (revision, actor, reason, added, removed, decisions_changed, model_sha256)
    values (next, 'unknown', 'rows that no revision accounts for', added, removed, 'null', '');
  delete from public.policy_edits_open o where o.transaction = pg_current_xact_id();
  perform pg_notify('linkgate_policy', next::text);
  return true;
end $$;
revoke execute on function record_unexplained_policy_rows from public;

create or replace trigger by_hand_insert after insert on casbin referencing new table as new_rows
  for each statement execute function note_policy_change();
create or replace trigger by_hand_delete after delete on casbin referencing old table as old_rows
  for each statement execute function note_policy_change();
create or replace trigger by_hand_update after update on casbin referencing old table as old_rows new table as new_rows
  for each statement execute function note_policy_change();
-- before the truncation, while there are rows to record
create or replace trigger by_hand_truncate before truncate on casbin
  for each statement execute function note_policy_change();
create or replace trigger revision_noted after insert on policy_revisions referencing new table as new_rows
  for each statement execute function note_policy_change();
create or replace trigger head_noted after update on policy_head
  for each statement execute function note_policy_change();

drop trigger if exists settled on policy_edits_open;
create constraint trigger settled after insert on policy_edits_open deferrable initially deferred
  for each row execute function settle_policy_edit();
