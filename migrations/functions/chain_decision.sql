-- Appends each new entry to a chain that no other transaction is writing to, and whose newest entry is not later: if
-- the clock was set back, a new chain begins. The hash covers the previous hash and every field, as a JSON array in
-- this order, without a resource_id that is null; `linkgate audit verify` computes it again from the columns
-- (src/audit/entry-hash.ts). Every change pays for this function: keep it short.
--
-- A transaction with many entries finds the end of its chain by its address (app.chain_end), so it does not scan the
-- ends that it wrote before. Any login can set that, so only an end written by this transaction counts, and its chain
-- belongs to this transaction in any case.
create or replace function chain_decision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head record;
  fields text;
  last text := nullif(current_setting('app.chain_end', true), '');
begin
  if last is not null then
    select c.*, c.ctid into head from public.audit_chains c
     where c.ctid = last::tid and c.xmin = pg_current_xact_id()::xid and c.time <= new.time;
  end if;
  if last is null or not found then
    select c.*, c.ctid into head from public.audit_chains c where c.time is null or c.time <= new.time
     order by c.writer limit 1 for update skip locked;
  end if;
  if not found then
    -- other transactions hold all chains: start a new one
    insert into public.audit_chains as c (writer, seq, hash)
      values (nextval('public.audit_writers'), 0, decode(repeat('00', 32), 'hex'))
      returning c.*, c.ctid into head;
  end if;
  new.id := nextval('public.decision_ids');
  new.writer := head.writer;
  new.seq := head.seq + 1;
  new.previous := head.hash;
  fields := json_build_array(new.writer, new.seq, new.id,
    extract(epoch from new.time), new.kind, new.request_id, new.revision, new.layer, new.subject_id, new.subject_role,
    new.token_id, new.network, new.action, new.resource_type, new.resource_code, new.relation, new.effect, new.rule,
    new.row_priority, new.status, new.change)::text;
  if new.resource_id is not null then
    fields := left(fields, -1) || ', ' || new.resource_id || ']';
  end if;
  new.hash := sha256(new.previous || convert_to(fields, 'UTF8'));
  update public.audit_chains c set seq = new.seq, hash = new.hash, time = new.time
   where c.ctid = head.ctid and c.writer = new.writer returning c.ctid::text into strict last;
  perform set_config('app.chain_end', last, true);
  return new;
end $$;
call give_function('chain_decision', 'audit_chain');

-- Only the schema's owner may write `hash` directly, and they could drop the trigger as well.
create or replace trigger chain_decision before insert on decisions
  for each row when (new.hash is null) execute function chain_decision();
