-- Changes wait while the log's tables change.
select pg_advisory_xact_lock(7274501);

-- The log of sign-ins (functions/record_account_event.sql): whether a refresh token begins a sign-in, or continues one.
grant select (id, family) on refresh_tokens to audit_chain;
create policy refresh_tokens_recorded on refresh_tokens for select to audit_chain using (true);

-- The time of an entry is the database's, and does not run backwards within its chain (functions/chain_decision.sql).
-- Nobody chooses it, nor the place of a checkpoint among the others.
alter table audit_chains add column time timestamptz;
revoke insert (time) on decisions from audit_writer, policy_editor;
revoke insert on audit_checkpoints from audit_writer;
grant insert (kind, jws) on audit_checkpoints to audit_writer;
