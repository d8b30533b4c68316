-- Users see their own sign-ins and end them (src/layers/4-data/sign-ins.ts). No role of a request sees a hash.
create policy refresh_tokens_own on refresh_tokens to users_own
  using (user_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
grant select (id, family, user_id, created_at, expires_at, revoked_at), update (revoked_at) on refresh_tokens
  to users_own;
