-- The roles that a transaction runs as. The service's login role owns nothing and reads almost nothing: for the length
-- of one transaction it becomes one of these (functions/enter.sql). Roles belong to the whole cluster, so another
-- database may have created them already.
do $$
declare
  name text;
begin
  foreach name in array array[
    -- the caller's own rows; all rows, for actions that a policy row allows on any record
    'links_own', 'links_any', 'users_own', 'users_any',
    -- accounts, sign-ins and tokens; the policy; adding to the decision log, and reading it
    'identity', 'policy_editor', 'audit_writer', 'audit_reader',
    -- nobody becomes these: they own the functions that read public links, write the decision log and count visits
    'links_public', 'audit_chain', 'visit_counter'
  ] loop
    begin
      execute format('create role %I nologin noinherit', name);
    exception when duplicate_object or unique_violation then
      null;
    end;
    -- only a member can give functions to the role
    execute format('grant %I to current_user', name);
    execute format('grant usage on schema public to %I', name);
  end loop;
end $$;

-- Gives a function to one of these roles: it runs with that role's rights, and nobody else may call it.
create procedure give_function(given regproc, owner regrole)
  language plpgsql as $$
begin
  execute format('grant create on schema public to %s', owner);
  execute format('alter function %s owner to %s', given, owner);
  execute format('revoke create on schema public from %s', owner);
  execute format('revoke execute on function %s from public', given);
end $$;
