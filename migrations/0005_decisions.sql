-- The decision log (docs/audit.md): what the layers decided, and what changed of users and of the policy. One table,
-- partitioned by month. Each entry holds the SHA-256 of the one before it in its chain (docs/decisions/0011).
create sequence decision_ids;
create table decisions (
  id            bigint not null,
  time          timestamptz not null default clock_timestamp(),
  -- decision: what the layers answered. user, policy, audit: what changed, by a request, the command line or SQL
  kind          text not null default 'decision',
  request_id    text not null,
  revision      bigint not null,
  layer         text,
  subject_id    bigint,
  subject_role  text,
  token_id      text,
  -- the network of the caller's address, for callers without a user
  network       text,
  action        text,
  resource_type text not null,
  -- a link has its id in every entry about it, whatever its code is; a rename has the code before in `change`
  resource_id   bigint,
  resource_code text,
  relation      text,
  effect        text,
  rule          text,
  row_priority  integer,
  status        integer,
  -- which fields changed, and who did it where no request did; never a password, a token or an address
  change        jsonb,
  -- the entry's chain, its place there, the hash of the entry before it, and its own
  writer        integer not null,
  seq           bigint not null,
  previous      bytea not null,
  hash          bytea not null,
  -- no check constraints: PostgreSQL parses them again for every statement, a third of the price of an entry
  primary key (id, time)
) partition by range (time);
create index decisions_of_subject on decisions (subject_id, id);
create index decisions_of_request on decisions (request_id);
create index decisions_by_time on decisions using brin (time) with (pages_per_range = 16);
create index decisions_of_link on decisions (resource_id, id) where resource_id is not null;
create index decisions_of_code on decisions (resource_code, id) where resource_type = 'link';
create index decisions_of_code_before on decisions ((change -> 'code' ->> 0), id) where resource_type = 'link'
  and change is not null;
-- Filters (src/layers/4-data/decisions.ts). What most entries have needs no index, and pays for none: the newest
-- entries have it.
create index decisions_of_status on decisions (status, id) where status <> 200;
create index decisions_of_layer on decisions (layer, id) where layer <> 'object';
create index decisions_of_revision on decisions (revision, id);
-- Takes entries that no month is there for (a clock that is months off), so that no change fails for it.
create table decisions_default partition of decisions default;

-- The end of each chain. A transaction that adds entries locks one until it commits. There are as many chains as
-- transactions ever wrote at once. Each entry updates its row: the low fill factor leaves space to do that in place.
create table audit_chains (
  writer integer primary key,
  seq    bigint not null,
  -- of the newest entry: times do not run backwards within a chain (functions/chain_decision.sql)
  time   timestamptz,
  hash   bytea not null check (octet_length(hash) = 32)
) with (fillfactor = 10);
create sequence audit_writers as integer;

-- Statements of where every chain stood, signed with the installation's key (JWS): whoever rewrites a chain would have
-- to forge these as well.
create table audit_checkpoints (
  id   bigint generated always as identity primary key,
  time timestamptz not null default clock_timestamp(),
  -- standing: where the chains stood. expiry: also which entries `linkgate audit expire` retired
  kind text not null,
  jws  text not null
);
create index audit_checkpoints_newest on audit_checkpoints (kind, id);

grant insert on decisions to audit_chain;
grant usage on sequence decision_ids, audit_writers to audit_chain;
grant select, insert, update on audit_chains to audit_chain;
-- Nobody chooses an entry's id, time, kind or place in a chain, nor the place of a checkpoint among the others: those
-- columns are left out.
grant insert (request_id, revision, layer, subject_id, subject_role, token_id, network, action, resource_type,
              resource_id, resource_code, relation, effect, rule, row_priority, status) on decisions
  to audit_writer, policy_editor;
grant select, insert (kind, jws) on audit_checkpoints to audit_writer;
grant select on audit_chains to audit_writer;
grant select on decisions, audit_chains, audit_checkpoints to audit_reader;
