-- Whoever may invite sees their invitations and withdraws them; all of them only who may read every user as well, since
-- an invitation names a person (src/layers/4-data/invitations.ts). Nobody sees a hash.
alter table invitations add column withdrawn_at timestamptz;

drop policy invitations_add on invitations;
create policy invitations_own on invitations to users_own
  using (invited_by = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy invitations_any on invitations to users_any using (true);
grant select (id, email, role, invited_by, created_at, expires_at, accepted_at, withdrawn_at), update (withdrawn_at)
  on invitations to users_own, users_any;
create index invitations_of_inviter on invitations (invited_by, id);
