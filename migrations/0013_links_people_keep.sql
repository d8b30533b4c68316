-- What people keep with a link (docs/links.md), and the trash.

-- To the millisecond, as the API shows times: a cursor of a page must name exactly the last row.
alter table links
  alter column created_at type timestamptz(3),
  alter column updated_at type timestamptz(3),
  add column title         text constraint links_title_length check (length(title) between 1 and 200),
  add column note          text constraint links_note_length check (length(note) between 1 and 2000),
  add column tags          text[] not null default '{}' constraint links_tags_number check (cardinality(tags) <= 20),
  add column status        smallint not null default 302
    constraint links_status_redirects check (status in (301, 302, 307, 308)),
  add column active        boolean not null default true,
  add column starts_at     timestamptz(3),
  add column expires_at    timestamptz(3) constraint links_times_in_order check (expires_at > starts_at),
  add column max_visits    integer constraint links_max_visits_range check (max_visits between 1 and 1000000000),
  -- redirects that were given out since max_visits was set (functions/take_visit.sql)
  add column used          integer not null default 0,
  -- argon2id, as a PHC string
  add column password_hash text,
  add column has_password  boolean not null generated always as (password_hash is not null) stored,
  add column forward_query boolean not null default false;

grant update (title, note, tags, status, active, starts_at, expires_at, max_visits, used, password_hash, forward_query)
  on links to links_own, links_any;
-- Counting a visit is no change of the record: it needs no caller, and no entry in the log.
grant update (used) on links to links_public;
-- Giving a link to another owner (functions/give_links.sql).
grant update (owner_id, updated_at, version) on links to links_public;
grant insert on changed_links to links_public;
create policy links_by_functions on links for update to links_public using (true);

-- Links that were deleted, as they were, until they are restored or TRASH_DAYS are over. A table of its own: no query
-- on links can forget to leave them out.
create table deleted_links (
  like links including constraints including generated,
  deleted_at timestamptz(3) not null default now(),
  primary key (id),
  foreign key (owner_id) references users (id) on delete set null
);
alter table deleted_links alter column tags drop default;
create index deleted_links_of_owner on deleted_links (owner_id, deleted_at, id);
create index deleted_links_newest on deleted_links (deleted_at, id);
alter table deleted_links enable row level security;
alter table deleted_links force row level security;
create policy deleted_links_public on deleted_links for select to links_public using (true);
create policy deleted_links_purge on deleted_links for delete to links_public using (true);
create policy deleted_links_own on deleted_links to links_own
  using (owner_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy deleted_links_any on deleted_links to links_any using (true);
grant select, insert, delete on deleted_links to links_own, links_any;
grant select, delete on deleted_links to links_public;

-- Which background work ran when, over all processes (functions/jobs.sql).
create table job_runs (
  name   text primary key,
  ran_at timestamptz not null default now()
);

-- The log follows a link through codes and owners: its id stands in every entry about it, and a rename has the code
-- before (functions/record_decision.sql).
alter table decisions add column resource_id bigint;
grant insert (resource_id) on decisions to audit_writer, policy_editor;
create index decisions_of_link on decisions (resource_id, id) where resource_id is not null;
create index decisions_of_code on decisions (resource_code, id) where resource_type = 'link';
create index decisions_of_code_before on decisions ((change -> 'code' ->> 0), id) where resource_type = 'link'
  and change is not null;

-- Lists. Newest first is by the time of creation, which an import keeps.
drop index links_newest_of_owner;
create index links_newest_of_owner on links (owner_id, created_at, id);
create index links_newest on links (created_at, id);

-- Searches. LIKE and @> are not leakproof: under row-level security PostgreSQL uses no index for them. So a search of
-- an owner finds ids here, in the rows that row-level security would leave, and reads what it answers from `links`
-- (docs/decisions/0024).
create view own_links as
  select id, code, target, owner_id, created_at, updated_at, version, title, note, tags, status, active, starts_at,
      expires_at, max_visits, used, has_password, forward_query
    from links where owner_id = (select nullif(current_setting('app.user_id', true), '')::bigint);
do $$
begin
  execute 'grant create on schema public to links_public';
  execute 'alter view own_links owner to links_public';
  execute 'revoke create on schema public from links_public';
end $$;
grant select on own_links to links_own;

drop index if exists links_search;
do $$
begin
  if exists (select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)) then
    create index links_search on links using gin (tags, lower(
      code || E'\n' || target || E'\n' || coalesce(title, '') || E'\n' || coalesce(note, '')) gin_trgm_ops);
  else
    create index links_search on links using gin (tags);
  end if;
end $$;
-- Links with a state of their own: few, so that a list of those that are not active is a look at few rows.
create index links_special on links (owner_id, created_at, id)
  where not active or starts_at is not null or expires_at is not null or max_visits is not null;
