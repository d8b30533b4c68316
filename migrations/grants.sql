-- Run after the migrations, every time: what the service's login role may do, and nothing else. `:service` is that role.
-- It may become the roles of a request but has none of their rights by itself.
do $$
declare
  name text;
begin
  foreach name in array array['links_own', 'links_any', 'users_own', 'users_any', 'identity', 'policy_editor', 'audit_writer', 'audit_reader'] loop
    if current_setting('server_version_num')::int >= 160000 then
      execute format('grant %I to :service with inherit false, set true', name);
    else
      execute format('grant %I to :service', name);
    end if;
  end loop;
end $$;
grant usage on schema public to :service;
grant execute on function find_link, find_user, find_external_user, admit_external_user, use_personal_token, add_decision_months, caller_stands, announce_changed_links to :service;
grant select on casbin, policy_revisions, schema_migrations, policy_head to :service;
grant select on policy_head to links_own, links_any, users_own, users_any, identity;
