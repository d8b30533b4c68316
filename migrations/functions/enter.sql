-- Runs the rest of the transaction as a role and a user. Without a user (null), no "own" policy matches.
create or replace function enter(entered_role text, user_id bigint) returns void
  language plpgsql volatile as $$
begin
  perform set_config('app.user_id', coalesce(user_id::text, ''), true);
  perform set_config('role', entered_role, true);
end $$;
