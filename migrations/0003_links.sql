-- Links, and what people keep with them (docs/links.md).
create table links (
  id            bigint generated always as identity primary key,
  code          text collate "C" not null constraint links_code_key unique
    constraint links_code_shape check (code ~ '^[A-Za-z0-9_-]{1,64}$'),
  target        text not null constraint links_target_length check (length(target) between 1 and 2048),
  owner_id      bigint references users (id) on delete set null,
  title         text constraint links_title_length check (length(title) between 1 and 200),
  note          text constraint links_note_length check (length(note) between 1 and 2000),
  tags          text[] not null default '{}' constraint links_tags_number check (cardinality(tags) <= 20),
  status        smallint not null default 302 constraint links_status_redirects check (status in (301, 302, 307, 308)),
  forward_query boolean not null default false,
  active        boolean not null default true,
  starts_at     timestamptz(3),
  expires_at    timestamptz(3) constraint links_times_in_order check (expires_at > starts_at),
  max_visits    integer constraint links_max_visits_range check (max_visits between 1 and 1000000000),
  -- redirects that were given out since max_visits was set (functions/take_visit.sql)
  used          integer not null default 0,
  -- argon2id, as a PHC string
  password_hash text,
  has_password  boolean not null generated always as (password_hash is not null) stored,
  -- to the millisecond, as the API shows times: a cursor of a page must name exactly the last row
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  version       bigint not null default 1
);
-- Lists. Newest first is by the time of creation, which an import keeps.
create index links_newest on links (created_at, id);
create index links_newest_of_owner on links (owner_id, created_at, id);
create index links_code_of_owner on links (owner_id, code);
-- Links with a state of their own: few, so that a list of those that are not active is a look at few rows.
create index links_special on links (owner_id, created_at, id)
  where not active or starts_at is not null or expires_at is not null or max_visits is not null;

-- Links that were deleted, as they were, until they are restored or TRASH_DAYS are over. A table of its own: no query
-- on links can forget to leave them out.
create table deleted_links (
  like links including constraints including generated,
  deleted_at timestamptz(3) not null default now(),
  primary key (id),
  foreign key (owner_id) references users (id) on delete set null
);
create index deleted_links_newest on deleted_links (deleted_at, id);
create index deleted_links_of_owner on deleted_links (owner_id, deleted_at, id);

-- Codes of links that changed, until they are announced (docs/decisions/0018). Unlogged: after a crash every listener
-- connects anew and empties its cache.
create unlogged table changed_links (code text collate "C" not null);

alter table links enable row level security;
alter table links force row level security;
create policy links_own on links to links_own
  using (owner_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy links_any on links to links_any using (true);
create policy links_public on links for select to links_public using (true);
create policy links_by_functions on links for update to links_public using (true);
create policy links_identity on links to identity using (true);
create policy links_counter on links for select to visit_counter using (true);

alter table deleted_links enable row level security;
alter table deleted_links force row level security;
create policy deleted_links_own on deleted_links to links_own
  using (owner_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy deleted_links_any on deleted_links to links_any using (true);
create policy deleted_links_public on deleted_links for select to links_public using (true);
create policy deleted_links_given on deleted_links for update to links_public using (true);
create policy deleted_links_purge on deleted_links for delete to links_public using (true);
create policy deleted_links_identity on deleted_links to identity using (true);
create policy deleted_links_counter on deleted_links for select to visit_counter using (true);

-- No role of a request changes a link's owner: functions do (give_links.sql, give_deleted_links.sql).
grant select, insert, delete on links, deleted_links to links_own, links_any;
grant update (code, target, title, note, tags, status, active, starts_at, expires_at, max_visits, used, password_hash,
              forward_query, updated_at, version) on links to links_own, links_any;
-- `used`: counting a visit is no change of the record, so it needs no caller, and no entry in the log
grant select, update (owner_id, used, updated_at, version) on links to links_public;
grant select, update (owner_id), delete on deleted_links to links_public;
-- The command line is `identity`. It imports links (docs/import.md), and gives away or deletes those of a deleted user.
-- Nobody decides about that; the log says who did it (functions/record_change.sql).
grant select (id, code, target, owner_id, version), insert, update (owner_id, updated_at, version), delete on links
  to identity;
grant select (id, owner_id), update (owner_id), delete on deleted_links to identity;
grant select (id, owner_id) on links, deleted_links to visit_counter;
grant insert on changed_links to links_own, links_any, links_public, identity;
