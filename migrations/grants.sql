-- Run after the migrations, every time: all that the service's login role (`:service`) may do. It may become the roles
-- of a request, and has none of their rights by itself.
do $$
begin
  execute 'grant links_own, links_any, users_own, users_any, identity, policy_editor, audit_writer, audit_reader'
    ' to :service' || case when current_setting('server_version_num')::int >= 160000
      then ' with inherit false, set true' else '' end;
end $$;
grant usage on schema public to :service;
grant execute on function find_links, take_visit, link_password, find_deleted_link, purge_deleted_links, claim_job,
  find_user, find_external_user, admit_external_user, use_personal_token, caller_stands, add_months,
  announce_changed_links, reserve_link_ids, analyze_links, record_unexplained_policy_rows, add_visits, count_visits,
  visit_day, drop_visit_months, expire_visits, sum_visit_days, move_visits, forget_visits to :service;
grant select on casbin, policy_comments, policy_proposals, policy_revisions, policy_head, schema_migrations to :service;
