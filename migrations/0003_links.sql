create table links (
  id         bigint generated always as identity primary key,
  code       text collate "C" not null constraint links_code_key unique
    constraint links_code_shape check (code ~ '^[A-Za-z0-9_-]{1,64}$'),
  target     text not null constraint links_target_length check (length(target) between 1 and 2048),
  owner_id   bigint references users (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version    bigint not null default 1
);
create index links_newest_of_owner on links (owner_id, id);
create index links_code_of_owner on links (owner_id, code);

alter table links enable row level security;
alter table links force row level security;
create policy links_public on links for select to links_public using (true);
create policy links_own on links to links_own
  using (owner_id = (select nullif(current_setting('app.user_id', true), '')::bigint));
create policy links_any on links to links_any using (true);

-- A link's owner is set when it is made. No request changes it, so no role may.
grant select, insert, delete on links to links_own, links_any;
grant update (code, target, updated_at, version) on links to links_own, links_any;
grant select on links to links_public;

-- Codes of links that changed, until they are announced (docs/decisions/0018). Unlogged: after a crash every listener
-- connects anew and empties its cache.
create unlogged table changed_links (code text collate "C" not null);
grant insert on changed_links to links_own, links_any;
