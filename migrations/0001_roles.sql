-- The database roles of a request. The service's login role owns nothing and sees nothing; for the length of one
-- transaction it becomes one of these (enter(), below). They belong to the whole cluster, so they may exist already.
do $$
declare
  name text;
begin
  foreach name in array array['links_public', 'links_own', 'links_any', 'users_own', 'users_any', 'identity', 'policy_editor', 'audit_writer', 'audit_reader'] loop
    begin
      execute format('create role %I nologin noinherit', name);
    exception when duplicate_object or unique_violation then
      null;
    end;
    -- whoever migrates must be able to hand functions over to these roles
    execute format('grant %I to current_user', name);
    execute format('grant usage on schema public to %I', name);
  end loop;
end $$;

-- Turns the rest of the transaction into one of a role, for one user (null: nobody; every "own" policy then matches nothing).
create function enter(entered_role text, user_id bigint) returns void
  language plpgsql volatile as $$
begin
  perform set_config('app.user_id', coalesce(user_id::text, ''), true);
  perform set_config('role', entered_role, true);
end $$;

create function enter_identity() returns void
  language sql volatile as $$ select enter('identity', null) $$;
