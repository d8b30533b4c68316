-- A live token by its hash. Records its use at most once a minute: a busy token must not write a row for every request.
create or replace function use_personal_token(hash bytea)
  returns table (id bigint, user_id bigint, scopes text[], expires_at timestamptz)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select t.id, t.user_id, t.scopes, t.expires_at from public.personal_tokens t
     where t.token_hash = hash and t.revoked_at is null and t.expires_at > now();
  update public.personal_tokens t set last_used_at = now()
   where t.token_hash = hash and t.revoked_at is null and t.expires_at > now()
     and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute');
end $$;
call give_function('use_personal_token', 'identity');

-- A user has at most 100 live personal tokens. The lock on their row serializes additions, so that the second one's
-- count includes the first.
create or replace function limit_personal_tokens() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from public.users u where u.id = new.user_id for no key update;
  if 100 <= (select count(*) from public.personal_tokens t
              where t.user_id = new.user_id and t.revoked_at is null and t.expires_at > now()) then
    raise exception using errcode = 'LG006', message = 'a user has at most 100 live personal tokens';
  end if;
  return new;
end $$;
call give_function('limit_personal_tokens', 'identity');

create or replace trigger limit_personal_tokens before insert on personal_tokens
  for each row execute function limit_personal_tokens();
