-- Accounts that end (functions/forget_user.sql), and tokens by which somebody sets a new password or another address.
-- Changes wait while the tables change.
select pg_advisory_xact_lock(7274501);

grant delete on users to users_own, users_any, identity;
grant delete on invitations to identity;

-- Links of a deleted user, in the trash too: given to another one by a function (functions/give_deleted_links.sql), or
-- taken by the command line, which is `identity` and records what it does (functions/record_change.sql).
grant update (owner_id) on deleted_links to links_public;
create policy deleted_links_given on deleted_links for update to links_public using (true);
create policy links_identity on links to identity using (true);
create policy deleted_links_identity on deleted_links to identity using (true);
grant select (id, owner_id, version), update (owner_id, updated_at, version), delete on links to identity;
grant select (id, owner_id), update (owner_id), delete on deleted_links to identity;
grant insert on changed_links to identity;

-- The history of the policy names its users by their ids alone; who has no id (the command line, SQL) is named.
alter table policy_revisions alter column actor drop not null;
update policy_revisions set actor = null where actor_id is not null;
