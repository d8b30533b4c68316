-- Whether a sign-in has ended is asked for every request; its tokens can be thousands (find_user.sql).
create index refresh_tokens_revoked on refresh_tokens (family) where revoked_at is not null;
