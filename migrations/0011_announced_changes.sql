-- PostgreSQL lets transactions that notify commit one after another: each holds a lock of the whole database until its commit is on
-- the disk, so changes of links could not commit together. The service's own changes now note the code in a table, in the same
-- transaction, and who announces them does so in a transaction of its own that waits for no disk (docs/decisions/0018).

-- Unlogged, since nothing of it is needed after a crash: every listener then has to connect anew, and forgets all it remembered.
create unlogged table changed_links (code text collate "C" not null);
grant insert on changed_links to links_own, links_any;

-- As before (0007) for whoever does not say that they announce: SQL by hand, the version before this one.
create or replace function notify_link_change() returns trigger
  language plpgsql as $$
declare
  announced boolean := coalesce(current_setting('app.announces', true), '') = 'on';
begin
  if tg_op = 'TRUNCATE' then
    perform pg_notify('linkgate_links', '*');
    return null;
  end if;
  if announced then
    insert into public.changed_links (code) values (case tg_op when 'INSERT' then new.code else old.code end);
  else
    perform pg_notify('linkgate_links', case tg_op when 'INSERT' then new.code else old.code end);
  end if;
  if tg_op = 'UPDATE' and new.code <> old.code then
    if announced then
      insert into public.changed_links (code) values (new.code);
    else
      perform pg_notify('linkgate_links', new.code);
    end if;
  end if;
  return null;
end $$;

-- Announces what was noted and committed before it; where another transaction is about to, it waits for that one. Many are one.
create function announce_changed_links() returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  codes text[];
begin
  with gone as (delete from public.changed_links returning code) select array_agg(distinct code) into codes from gone;
  if cardinality(codes) > 1000 then
    perform pg_notify('linkgate_links', '*');
  else
    perform pg_notify('linkgate_links', code) from unnest(codes) code;
  end if;
end $$;
revoke execute on function announce_changed_links from public;
