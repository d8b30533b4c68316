-- What made a personal token: another one, or a sign-in. Null where that is not known (an external issuer, the command
-- line). So an account can see what followed from what, and end it together.
alter table personal_tokens
  add column made_by_token bigint references personal_tokens (id) on delete set null,
  add column made_by_sign_in uuid;
create index personal_tokens_made_by_token on personal_tokens (made_by_token) where made_by_token is not null;
grant select (made_by_token, made_by_sign_in), insert (made_by_token, made_by_sign_in) on personal_tokens to users_own;
