-- A statement that changes many links (0013) is guarded, recorded and announced as it was, with less work in it: what was done once a
-- row and came to nothing is not begun, and what can be done once a statement is.

-- As 0006: no change is under way while its triggers are replaced.
select pg_advisory_xact_lock(7274501);

-- Of links that are changed under `app.decisions` the statement's own trigger keeps the record, and notes the codes. One that is
-- renamed is noted by the row, too: the statement's trigger sees the new codes alone.
drop trigger link_decision on links;
create trigger link_decision after insert or update or delete on links for each row
  when (coalesce(current_setting('app.decisions', true), '') = '') execute function record_decision('link', 'code');
drop trigger notify_link_change on links;
create trigger notify_link_change after insert or delete on links for each row
  when (coalesce(current_setting('app.decisions', true), '') = '') execute function notify_link_change();
create trigger notify_link_update after update on links for each row
  when (old.code <> new.code or coalesce(current_setting('app.decisions', true), '') = '') execute function notify_link_change();

-- As 0013, and a group's own settings: it waits for no lock that others hold for longer than 50 ms (then each of its changes goes alone,
-- and waits for what it needs itself), and its statements, whose plans are the same for any number of rows, are not planned for each.
create or replace function enter_changes(entered_role text, decided_under bigint[], decisions text, callers text, caller_ids bigint[], caller_roles text[], sign_ins uuid[], token_issuers text[], token_subjects text[])
  returns void language plpgsql volatile as $$
declare
  revision bigint;
begin
  perform set_config('lock_timeout', '50ms', true), set_config('plan_cache_mode', 'force_generic_plan', true);
  foreach revision in array decided_under loop
    perform public.require_revision(revision);
  end loop;
  for i in 1 .. cardinality(caller_ids) loop
    if public.caller_stands(caller_ids[i], caller_roles[i], sign_ins[i], token_issuers[i], token_subjects[i]) is not true then
      raise exception using errcode = 'LG007', message = 'a caller is no longer who this was decided for';
    end if;
  end loop;
  perform set_config('app.announces', 'on', true), set_config('app.decision', '', true), set_config('app.user_id', '', true), set_config('app.decisions', decisions, true), set_config('app.callers', callers, true), set_config('role', entered_role, true);
end $$;

-- As 0013, but an entry takes from its decision no field that is the log's own to say; and the codes are noted for whoever announces them (0011), in one insertion. The decisions are few, and looked through
-- for each link: any other way to join them begins by building something.
create or replace function record_link_decisions() returns trigger
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
  for entry in
    select d.* from changed c left join lateral (select * from json_populate_recordset(null::public.decisions, decisions) given where given.resource_code = c.code limit 1) d on true
  loop
    if entry.request_id is null then
      raise exception using errcode = 'LG002', message = 'a link changes only together with the decision that allowed it';
    end if;
    head.seq := head.seq + 1;
    entry.id := nextval('public.decision_ids');
    entry.time := clock_timestamp();
    entry.kind := 'decision';
    entry.resource_type := 'link';
    -- as of one row: what only the log's other writers say is nobody's to say here
    entry.network := null;
    entry.change := null;
    entry.writer := head.writer;
    entry.seq := head.seq;
    entry.previous := head.hash;
    entry.hash := public.entry_hash(entry);
    head.hash := entry.hash;
    entries := entries || entry;
  end loop;
  if found then
    update public.audit_chains set seq = head.seq, hash = head.hash where writer = head.writer;
    insert into public.changed_links (code) select c.code from changed c;
    insert into public.decisions select * from unnest(entries);
  end if;
  return null;
end $$;
grant insert on changed_links to audit_chain;
