-- What was recorded before there were chains (0006) becomes a chain of its own, in its order and under its ids. Apart from 0006, since
-- a large log takes its time: requests go on meanwhile, and read only what was recorded since.
do $$
declare
  chain integer := nextval('audit_writers');
  head bytea := decode(repeat('00', 32), 'hex');
  place bigint := 0;
  hashed bytea;
  old decisions_unchained;
begin
  -- in the form that chain_decision() hashes; its change of the chain's head with every entry would make this quadratic
  for old in select * from decisions_unchained order by id loop
    place := place + 1;
    hashed := sha256(head || convert_to(json_build_array(chain, place, old.id, extract(epoch from old.time), 'decision', old.request_id,
      old.revision, old.layer, old.subject_id, old.subject_role, old.token_id, old.network, old.action, old.resource_type, old.resource_code,
      old.relation, old.effect, old.rule, old.row_priority, old.status, null)::text, 'UTF8'));
    insert into decisions (id, time, request_id, revision, layer, subject_id, subject_role, token_id, network, action, resource_type, resource_code, relation, effect, rule, row_priority, status,
                           writer, seq, previous, hash)
      values (old.id, old.time, old.request_id, old.revision, old.layer, old.subject_id, old.subject_role, old.token_id, old.network, old.action, old.resource_type, old.resource_code,
              old.relation, old.effect, old.rule, old.row_priority, old.status, chain, place, head, hashed);
    head := hashed;
  end loop;
  if place > 0 then
    insert into audit_chains values (chain, place, head);
  end if;
end $$;
drop table decisions_unchained;
