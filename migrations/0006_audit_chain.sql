-- The decision log as evidence: one table by months, every entry chained to the one before it by its SHA-256, and beside the
-- decisions what changed of users and of the policy, in one order (docs/audit.md, docs/decisions/0011).

-- As a policy edit does: no change is under way while the log is replaced, and those that come meanwhile wait. One that had begun
-- would reach its record with rights on the old log alone.
select pg_advisory_xact_lock(7274501);

-- The chains are written by a role that nobody can become: whoever adds an entry gets it chained, and can choose no place in it.
do $$
begin
  create role audit_chain nologin noinherit;
exception when duplicate_object or unique_violation then
  null;
end $$;
grant audit_chain to current_user;
grant usage on schema public to audit_chain;

alter table decisions rename to decisions_unchained;
alter index decisions_of_subject rename to decisions_unchained_of_subject;
alter table decisions_unchained rename constraint decisions_pkey to decisions_unchained_pkey;

create sequence decision_ids;
-- what was recorded before keeps its ids (0009)
select setval('decision_ids', coalesce(max(id), 0) + 1, false) from decisions_unchained;
grant usage on sequence decision_ids to audit_chain;

-- No check constraints: PostgreSQL parses them again for every statement, and they were most of the price of an entry.
create table decisions (
  id            bigint not null,
  time          timestamptz not null default clock_timestamp(),
  -- decision: what the layers answered. user, policy, audit: what was changed, by whatever way (a request, the command line, SQL)
  kind          text not null default 'decision',
  request_id    text not null,
  revision      bigint not null,
  layer         text,
  subject_id    bigint,
  subject_role  text,
  token_id      text,
  -- of a caller without a user: the address, reduced to its network
  network       text,
  action        text,
  resource_type text not null,
  resource_code text,
  relation      text,
  effect        text,
  rule          text,
  row_priority  integer,
  status        integer,
  -- of a change: which fields, and by whom where no request did it; never a password, a token or an address
  change        jsonb,
  -- place in the chain: which one, which entry of it, the hash of the entry before, and this one's
  writer        integer not null,
  seq           bigint not null,
  previous      bytea not null,
  hash          bytea not null,
  primary key (id, time)
) partition by range (time);
create index decisions_of_subject on decisions (subject_id, id);
create index decisions_of_request on decisions (request_id);
create index decisions_by_time on decisions using brin (time) with (pages_per_range = 16);
-- Catches what no month is there for (a clock that is months off), so that no change is ever refused for want of a partition.
create table decisions_default partition of decisions default;

-- One row a chain. A transaction that adds an entry holds its chain until it is over, so there are as many chains as
-- transactions that ever wrote at once, and none waits for another. Rewritten with every entry: kept in place by free space.
create table audit_chains (
  writer integer primary key,
  seq    bigint not null,
  hash   bytea not null check (octet_length(hash) = 32)
) with (fillfactor = 10);
create sequence audit_writers as integer;
grant select, insert, update on audit_chains to audit_chain;
grant usage on sequence audit_writers to audit_chain;

-- Whoever adds an entry gets it put behind the last one of a chain that nobody else writes to at this moment. What the hash is
-- made of: the hash before it, and the JSON array of every field in this order. `linkgate audit verify` computes it by itself,
-- from the columns (src/audit/entry-hash.ts). Every change of the service pays for this: few expressions, no checks beside.
create function chain_decision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head public.audit_chains;
begin
  select * into head from public.audit_chains order by writer limit 1 for update skip locked;
  if not found then
    -- every chain is in somebody's hands: one more
    insert into public.audit_chains values (nextval('public.audit_writers'), 0, decode(repeat('00', 32), 'hex')) returning * into head;
  end if;
  new.id := nextval('public.decision_ids');
  new.writer := head.writer;
  new.seq := head.seq + 1;
  new.previous := head.hash;
  new.hash := sha256(new.previous || convert_to(json_build_array(new.writer, new.seq, new.id, extract(epoch from new.time), new.kind, new.request_id,
    new.revision, new.layer, new.subject_id, new.subject_role, new.token_id, new.network, new.action, new.resource_type, new.resource_code,
    new.relation, new.effect, new.rule, new.row_priority, new.status, new.change)::text, 'UTF8'));
  update public.audit_chains set seq = new.seq, hash = new.hash where writer = new.writer;
  return new;
end $$;
-- Only the schema's owner may give a hash themselves (the column is granted to nobody), and they could drop the trigger, too.
create trigger chain_decision before insert on decisions for each row when (new.hash is null) execute function chain_decision();

-- The months from this one on, so many ahead, each a table of its own. What is there is left alone; a month whose entries
-- already stand in decisions_default stays there.
create function add_decision_months(ahead integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  month timestamp;
  name text;
  first timestamptz;
  last timestamptz;
begin
  perform pg_advisory_xact_lock(7274505);
  for month in select generate_series(date_trunc('month', now() at time zone 'UTC'), now() at time zone 'UTC' + make_interval(months => least(ahead, 24)), '1 month') loop
    name := 'decisions_' || to_char(month, 'YYYY_MM');
    first := month at time zone 'UTC';
    last := (month + interval '1 month') at time zone 'UTC';
    if to_regclass('public.' || name) is null and not exists (select from public.decisions_default d where d.time >= first and d.time < last) then
      execute format('create table public.%I (like public.decisions including defaults including constraints)', name);
      execute format('alter table public.decisions attach partition public.%I for values from (%L) to (%L)', name, first, last);
    end if;
  end loop;
end $$;
select add_decision_months(2);

-- Nobody chooses an entry's place: those columns are nobody's to write.
grant insert (kind, request_id, revision, subject_id, subject_role, token_id, resource_type, resource_code, change,
              layer, action, relation, effect, rule, row_priority, status) on decisions to audit_chain;
grant insert (time, request_id, revision, layer, subject_id, subject_role, token_id, network, action, resource_type, resource_code,
              relation, effect, rule, row_priority, status) on decisions to audit_writer, policy_editor;
grant select on decisions, audit_chains to audit_reader;

-- Statements signed with the installation's key (a JWS each) of where every chain stood, and of what `linkgate audit expire`
-- retired: whoever rewrites a chain would have to forge these, too.
create table audit_checkpoints (
  id   bigint generated always as identity primary key,
  time timestamptz not null default clock_timestamp(),
  -- standing: where the chains stood. expiry: which entries were retired, too
  kind text not null,
  jws  text not null
);
create index audit_checkpoints_newest on audit_checkpoints (kind, id);
grant select on audit_checkpoints to audit_reader;
grant select, insert on audit_checkpoints to audit_writer;
grant select on audit_chains to audit_writer;

-- As before (0003), now with the rights of the chain's role: the roles of a request no longer need any on the log.
create or replace function record_decision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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

-- What changed of a user or of the policy, whoever did it: a request (then with its id and its caller), the command line, SQL.
create function record_change(kind text, code text, change jsonb) returns void
  language plpgsql as $$
declare
  -- who and by which request; what was decided has an entry of its own
  decision jsonb := nullif(current_setting('app.decision', true), '')::jsonb;
  by_whom jsonb := case when decision is null
    then jsonb_build_object('by', concat_ws(' ', session_user, nullif(current_setting('application_name', true), ''))) else '{}' end;
begin
  insert into public.decisions (kind, request_id, revision, subject_id, subject_role, token_id, resource_type, resource_code, change)
    values (kind, coalesce(decision ->> 'request_id', ''), (select h.revision from public.policy_head h), (decision ->> 'subject_id')::bigint,
            decision ->> 'subject_role', decision ->> 'token_id', kind, code, change || by_whom);
end $$;

create function record_user_change() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  change jsonb;
begin
  case tg_op
    when 'INSERT' then change := jsonb_build_object('what', 'added', 'role', jsonb_build_array(null, new.role));
    when 'DELETE' then change := jsonb_build_object('what', 'deleted', 'role', jsonb_build_array(old.role, null));
    else
      change := case when new.role <> old.role then jsonb_build_object('role', jsonb_build_array(old.role, new.role)) else '{}' end
        || case when (new.suspended_at is null) <> (old.suspended_at is null)
             then jsonb_build_object('suspended', jsonb_build_array(old.suspended_at is not null, new.suspended_at is not null)) else '{}' end
        || case when new.email <> old.email then '{"email": "changed"}'::jsonb else '{}' end
        || case when new.name <> old.name then '{"name": "changed"}'::jsonb else '{}' end
        || case when new.password_hash is distinct from old.password_hash then '{"password": "changed"}'::jsonb else '{}' end;
      if change = '{}' then
        return null;
      end if;
      change := jsonb_build_object('what', 'changed') || change;
  end case;
  perform public.record_change('user', case when tg_op = 'DELETE' then old.id else new.id end::text, change);
  return null;
end $$;

create function record_policy_revision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.record_change('policy', new.revision::text, jsonb_build_object('what', 'revision', 'reason', new.reason, 'actor', new.actor, 'actor_id', new.actor_id::text,
    'added', jsonb_array_length(new.added), 'removed', jsonb_array_length(new.removed), 'decisions_changed', jsonb_array_length(new.decisions_changed)));
  return null;
end $$;

-- the name puts it behind user_decision: first who was allowed to, then what came of it
create trigger user_recorded after insert or update or delete on users for each row execute function record_user_change();
create trigger policy_recorded after insert on policy_revisions for each row execute function record_policy_revision();
grant select on policy_head to audit_chain;

grant create on schema public to audit_chain;
alter function chain_decision owner to audit_chain;
alter function record_decision owner to audit_chain;
alter function record_user_change owner to audit_chain;
alter function record_policy_revision owner to audit_chain;
revoke create on schema public from audit_chain;
revoke execute on function add_decision_months, chain_decision, record_decision, record_change, record_user_change, record_policy_revision from public;
grant execute on function record_change to audit_chain;
