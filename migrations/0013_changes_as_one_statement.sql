-- Changes of one form that are committed together are one statement of many rows (docs/decisions/0021): entered once, recorded once.
-- What guards each of them is per row: its caller, its decision, its record.

-- As 0006: no change is under way while its triggers are replaced.
select pg_advisory_xact_lock(7274501);

do $$
begin
  create role links_each nologin noinherit;
exception when duplicate_object or unique_violation then
  null;
end $$;
grant links_each to current_user;
grant usage on schema public to links_each;
grant select, insert, delete on links to links_each;
grant update (code, target, updated_at, version) on links to links_each;
grant insert on changed_links to links_each;
grant execute on function caller_stands to links_each;

-- As links_own (0002), with a caller for every row: `app.callers` is a JSON object that says by the code whose link it has to be.
create policy links_each on links for all to links_each
  using (owner_id = ((select nullif(current_setting('app.callers', true), '')::jsonb) ->> code)::bigint)
  with check (owner_id = ((select nullif(current_setting('app.callers', true), '')::jsonb) ->> code)::bigint);

-- The lock first, the revision after it, in a statement of its own (0003). What is read after the lock has to be read anew for each
-- statement, so no other isolation level will do: a transaction that is made of one flush has the session's.
create function require_revision(decided_under bigint) returns void
  language plpgsql volatile as $$
declare
  in_force bigint;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception using errcode = 'LG008', message = 'a change needs the isolation level read committed (default_transaction_isolation)';
  end if;
  perform pg_advisory_xact_lock_shared(7274501);
  select revision into in_force from public.policy_head;
  if in_force is distinct from decided_under then
    raise exception using errcode = 'LG001', message = format('decided under revision %s, revision %s is in force', decided_under, in_force);
  end if;
end $$;

-- As before (0010), and what was entered before it in the same transaction is over.
create or replace function enter_change(entered_role text, user_id bigint, decided_under bigint, decision text, caller_role text, sign_in uuid, token_issuer text, token_subject text)
  returns void language plpgsql volatile as $$
begin
  perform public.require_revision(decided_under);
  if caller_role is not null and not public.caller_stands(user_id, caller_role, sign_in, token_issuer, token_subject) then
    raise exception using errcode = 'LG007', message = 'the caller is no longer who this was decided for';
  end if;
  -- what it changes of links it announces itself, once that is committed (0011)
  perform set_config('app.announces', 'on', true), set_config('app.decisions', '', true), set_config('app.decision', decision, true), set_config('app.user_id', coalesce(user_id::text, ''), true), set_config('role', entered_role, true);
end $$;

-- The way into one statement that makes many changes of links: every revision that one of them was decided under, their decisions
-- (a JSON array of entries of the log, each with the code as its resource_code), whose link each has to be (by its code), and every
-- caller of theirs once. One that does not hold fails them all.
create function enter_changes(entered_role text, decided_under bigint[], decisions text, callers text, caller_ids bigint[], caller_roles text[], sign_ins uuid[], token_issuers text[], token_subjects text[])
  returns void language plpgsql volatile as $$
declare
  revision bigint;
begin
  foreach revision in array decided_under loop
    perform public.require_revision(revision);
  end loop;
  if exists (select from unnest(caller_ids, caller_roles, sign_ins, token_issuers, token_subjects) as c(id, role, sign_in, issuer, subject)
             where not public.caller_stands(c.id, c.role, c.sign_in, c.issuer, c.subject)) then
    raise exception using errcode = 'LG007', message = 'a caller is no longer who this was decided for';
  end if;
  perform set_config('app.announces', 'on', true), set_config('app.decision', '', true), set_config('app.user_id', '', true), set_config('app.decisions', decisions, true), set_config('app.callers', callers, true), set_config('role', entered_role, true);
end $$;

-- What an entry's hash is made of (0006), in one place for both ways into the log.
create function entry_hash(entry decisions) returns bytea
  language sql stable as $$
    select sha256(entry.previous || convert_to(json_build_array(entry.writer, entry.seq, entry.id, extract(epoch from entry.time), entry.kind, entry.request_id,
      entry.revision, entry.layer, entry.subject_id, entry.subject_role, entry.token_id, entry.network, entry.action, entry.resource_type, entry.resource_code,
      entry.relation, entry.effect, entry.rule, entry.row_priority, entry.status, entry.change)::text, 'UTF8'))
  $$;
revoke execute on function entry_hash from public;
grant execute on function entry_hash to audit_chain;

-- The end of a chain that nobody else writes to at this moment, held until the transaction is over (0006).
create function hold_chain() returns audit_chains
  language plpgsql volatile as $$
declare
  head public.audit_chains;
begin
  select * into head from public.audit_chains order by writer limit 1 for update skip locked;
  if not found then
    -- every chain is in somebody's hands: one more
    insert into public.audit_chains values (nextval('public.audit_writers'), 0, decode(repeat('00', 32), 'hex')) returning * into head;
  end if;
  return head;
end $$;
revoke execute on function hold_chain from public;
grant execute on function hold_chain to audit_chain;

create or replace function chain_decision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head public.audit_chains := public.hold_chain();
begin
  new.id := nextval('public.decision_ids');
  new.writer := head.writer;
  new.seq := head.seq + 1;
  new.previous := head.hash;
  new.hash := public.entry_hash(new);
  update public.audit_chains set seq = new.seq, hash = new.hash where writer = new.writer;
  return new;
end $$;

-- As before (0006), but links that are changed under `app.decisions` are recorded by the statement, not by the row.
create or replace function record_decision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  decision jsonb;
  record_name text;
begin
  if tg_argv[0] = 'link' and coalesce(current_setting('app.decisions', true), '') <> '' then
    return null;
  end if;
  decision := nullif(current_setting('app.decision', true), '')::jsonb;
  if decision is null then
    raise exception using errcode = 'LG002', message = format('a %s changes only together with the decision that allowed it', tg_argv[0]);
  end if;
  record_name := to_jsonb(case when tg_op = 'DELETE' then old else new end) ->> tg_argv[1];
  insert into public.decisions (request_id, revision, layer, subject_id, subject_role, token_id, action, resource_type, resource_code, relation, effect, rule, row_priority, status)
    values (decision ->> 'request_id', (decision ->> 'revision')::bigint, decision ->> 'layer', (decision ->> 'subject_id')::bigint,
            decision ->> 'subject_role', decision ->> 'token_id', decision ->> 'action', tg_argv[0], record_name,
            decision ->> 'relation', decision ->> 'effect', decision ->> 'rule', (decision ->> 'row_priority')::integer,
            (decision ->> 'status')::integer);
  return null;
end $$;

-- The entries of all links that one statement has changed, put behind each other at the end of one chain: its end is read and
-- written once, and the entries are one insertion. A link without a decision of its own fails the statement.
create function record_link_decisions() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  decisions json := nullif(current_setting('app.decisions', true), '');
  head public.audit_chains;
  entry public.decisions;
  entries public.decisions[] := '{}';
begin
  if decisions is null then
    return null;
  end if;
  head := public.hold_chain();
  for entry in select d.* from changed c left join json_populate_recordset(null::public.decisions, decisions) d on d.resource_code = c.code loop
    if entry.request_id is null then
      raise exception using errcode = 'LG002', message = 'a link changes only together with the decision that allowed it';
    end if;
    head.seq := head.seq + 1;
    entry.id := nextval('public.decision_ids');
    entry.time := clock_timestamp();
    entry.kind := 'decision';
    entry.resource_type := 'link';
    entry.writer := head.writer;
    entry.seq := head.seq;
    entry.previous := head.hash;
    entry.hash := public.entry_hash(entry);
    head.hash := entry.hash;
    entries := entries || entry;
  end loop;
  if found then
    update public.audit_chains set seq = head.seq, hash = head.hash where writer = head.writer;
    insert into public.decisions select * from unnest(entries);
  end if;
  return null;
end $$;
create trigger link_decisions_made after insert on links referencing new table as changed for each statement execute function record_link_decisions();
create trigger link_decisions_changed after update on links referencing new table as changed for each statement execute function record_link_decisions();
create trigger link_decisions_deleted after delete on links referencing old table as changed for each statement execute function record_link_decisions();

-- An entry's place and hash are the chain role's to write, in the functions above; nobody can become that role (0006).
revoke insert on decisions from audit_chain;
grant insert on decisions to audit_chain;
grant create on schema public to audit_chain;
alter function record_link_decisions owner to audit_chain;
revoke create on schema public from audit_chain;
revoke execute on function record_link_decisions from public;
