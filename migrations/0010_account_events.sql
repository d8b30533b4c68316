-- The log of sign-ins (functions/record_account_event.sql): whether a refresh token begins a sign-in, or continues one.
grant select (id, family) on refresh_tokens to audit_chain;
create policy refresh_tokens_recorded on refresh_tokens for select to audit_chain using (true);
