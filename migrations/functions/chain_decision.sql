-- Puts each new entry at the end of a chain that no other transaction is writing to, and whose newest entry is not
-- later: where the clock was put back, another chain begins. The hash covers the hash before it and every field, as a
-- JSON array in this order, but for a resource_id that is null; `linkgate audit verify` computes it again from the
-- columns (src/audit/entry-hash.ts). Every change pays for this function: keep it short.
create or replace function chain_decision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head public.audit_chains;
  fields text;
begin
  select * into head from public.audit_chains c where c.time is null or c.time <= new.time
   order by writer limit 1 for update skip locked;
  if not found then
    -- other transactions hold all chains: begin another one
    insert into public.audit_chains (writer, seq, hash)
      values (nextval('public.audit_writers'), 0, decode(repeat('00', 32), 'hex'))
      returning * into head;
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
  update public.audit_chains set seq = new.seq, hash = new.hash, time = new.time where writer = new.writer;
  return new;
end $$;
call give_function('chain_decision', 'audit_chain');

-- Only the schema's owner may write `hash` themselves, and they could drop the trigger as well.
create or replace trigger chain_decision before insert on decisions
  for each row when (new.hash is null) execute function chain_decision();
