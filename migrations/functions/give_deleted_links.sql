-- Gives all deleted links of a user to another one, bypassing row-level security like give_links, and only as far as
-- the role of the transaction reaches. Each is recorded like a link.
create or replace function give_deleted_links(owner bigint, new_owner bigint) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
    update public.deleted_links d set owner_id = new_owner
     where d.owner_id = owner and (current_setting('role') = 'links_any'
        or d.owner_id = nullif(current_setting('app.user_id', true), '')::bigint)
  $$;
call give_function('give_deleted_links', 'links_public');
grant execute on function give_deleted_links to links_own, links_any;
