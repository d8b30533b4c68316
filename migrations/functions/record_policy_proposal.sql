-- A proposal is closed only once. A second decision that waited for the first one's commit fails.
create or replace function require_open_proposal() returns trigger
  language plpgsql as $$
begin
  if old.state <> 'open' then
    raise exception using errcode = 'LG013', message = format('the proposal is %s already', old.state);
  end if;
  return new;
end $$;
create or replace trigger closed_once before update on policy_proposals
  for each row execute function require_open_proposal();

-- The log records the fate of a proposal: who proposed, approved, declined or withdrew it, and why.
create or replace function record_policy_proposal() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('policy', 'proposal-' || new.id, jsonb_strip_nulls(case
    when tg_op = 'INSERT' then jsonb_build_object('what', 'proposed', 'proposal', new.id::text, 'reason', new.reason,
      'actor', new.actor, 'actor_id', new.actor_id::text, 'base', new.base, 'added', jsonb_array_length(new.added),
      'removed', jsonb_array_length(new.removed), 'comments', nullif(jsonb_array_length(new.comments), 0))
    else jsonb_build_object('what', case new.state when 'applied' then 'approved' else new.state end,
      'proposal', new.id::text, 'reason', new.closing_reason, 'actor', new.closer, 'actor_id', new.closer_id::text,
      'revision', new.revision) end));
  return null;
end $$;
call give_function('record_policy_proposal', 'audit_chain');
create or replace trigger proposal_recorded after insert or update on policy_proposals
  for each row execute function record_policy_proposal();
