-- Temporary step towards the baseline: no change shares a transaction with another caller's, a key is claimed before the
-- creation that it names, and every change of a link is noted in changed_links.
select pg_advisory_xact_lock(7274501);
drop trigger link_decisions_made on links;
drop trigger link_decisions_changed on links;
drop trigger link_decisions_deleted on links;
drop trigger link_decision on links;
drop trigger notify_link_change on links;
drop trigger notify_link_update on links;
drop function record_link_decisions();
drop function enter_changes(text, bigint[], text, text, bigint[], text[], uuid[], text[], text[]);
drop policy links_each on links;
drop owned by links_each;

create trigger link_decision after insert or update or delete on links
  for each row execute function record_decision('link', 'code');
create or replace function notify_link_change() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    perform pg_notify('linkgate_links', '*');
    return null;
  end if;
  if tg_op <> 'INSERT' then
    insert into public.changed_links (code) values (old.code);
  end if;
  if tg_op = 'INSERT' or (tg_op = 'UPDATE' and new.code <> old.code) then
    insert into public.changed_links (code) values (new.code);
  end if;
  return null;
end $$;
create trigger notify_link_change after insert or update or delete on links
  for each row execute function notify_link_change();

create or replace function enter_change(entered_role text, user_id bigint, decided_under bigint, decision text, caller_role text, sign_in uuid, token_issuer text, token_subject text)
  returns void language plpgsql volatile as $$
declare
  in_force bigint;
begin
  -- What is read after the lock has to be read anew for each statement, so no other isolation level will do.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception using errcode = 'LG008',
      message = 'a change needs the isolation level read committed (default_transaction_isolation)';
  end if;
  perform pg_advisory_xact_lock_shared(7274501);
  select revision into in_force from public.policy_head;
  if in_force is distinct from decided_under then
    raise exception using errcode = 'LG001',
      message = format('decided under revision %s, revision %s is in force', decided_under, in_force);
  end if;
  if caller_role is not null and not public.caller_stands(user_id, caller_role, sign_in, token_issuer, token_subject) then
    raise exception using errcode = 'LG007', message = 'the caller is no longer who this was decided for';
  end if;
  perform set_config('app.decision', decision, true), set_config('app.user_id', coalesce(user_id::text, ''), true),
    set_config('role', entered_role, true);
end $$;
drop function require_revision(bigint);

create or replace function record_decision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  decision jsonb := nullif(current_setting('app.decision', true), '')::jsonb;
  record_name text := to_jsonb(case when tg_op = 'DELETE' then old else new end) ->> tg_argv[1];
begin
  if decision is null then
    raise exception using errcode = 'LG002',
      message = format('a %s changes only together with the decision that allowed it', tg_argv[0]);
  end if;
  insert into public.decisions (request_id, revision, layer, subject_id, subject_role, token_id, action, resource_type, resource_code, relation, effect, rule, row_priority, status)
    values (decision ->> 'request_id', (decision ->> 'revision')::bigint, decision ->> 'layer', (decision ->> 'subject_id')::bigint,
            decision ->> 'subject_role', decision ->> 'token_id', decision ->> 'action', tg_argv[0], record_name,
            decision ->> 'relation', decision ->> 'effect', decision ->> 'rule', (decision ->> 'row_priority')::integer,
            (decision ->> 'status')::integer);
  return null;
end $$;
revoke execute on function caller_stands from links_own, links_any;

alter table idempotency_keys drop column salt, drop column secret_hash, alter column record drop not null;
grant insert (user_id, key_hash, fingerprint, record) on idempotency_keys to links_own, users_own;
drop function claim_idempotency_key(bytea);
-- Takes the caller's key for this transaction, which keeps it with what it makes: LG004 while another transaction has it, LG005 where it made something,
-- LG009 where that was another request.
create function claim_idempotency_key(claimed bytea, request bytea) returns void
  language plpgsql volatile as $$
declare
  caller text := current_setting('app.user_id', true);
  made bytea;
begin
  -- Ends with the transaction, however that ends. The number comes from a cryptographic hash and is negative: nobody can
  -- choose a key that meets another's lock, or one of the service's own.
  if not pg_try_advisory_xact_lock(('x8' || substr(encode(sha256(convert_to(caller, 'UTF8') || '\x00'::bytea || claimed), 'hex'), 1, 15))::bit(64)::bigint) then
    raise exception using errcode = 'LG004', message = 'another request has this idempotency key at this moment';
  end if;
  perform public.sweep_idempotency_keys(claimed);
  select k.fingerprint into made from public.idempotency_keys k where k.key_hash = claimed;
  if found then
    raise exception using errcode = case when made = request then 'LG005' else 'LG009' end,
      message = 'something was made under this idempotency key already';
  end if;
end $$;
