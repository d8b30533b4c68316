-- Refuses a revision or a proposal whose comments the service could not read back.
create or replace function require_readable_comments() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if exists (
    select from jsonb_array_elements(new.comments) entry
     where jsonb_typeof(entry) <> 'object' or entry -> 'row' is null
        or coalesce(jsonb_typeof(entry -> 'before'), '') not in ('string', 'null')
        or coalesce(jsonb_typeof(entry -> 'after'), '') not in ('string', 'null')) then
    raise exception 'comments of a revision or proposal are {row, before, after}'
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create or replace trigger comments_checked before insert on policy_revisions
  for each row execute function require_readable_comments();
create or replace trigger comments_checked before insert on policy_proposals
  for each row execute function require_readable_comments();

-- Each revision lists the comments that it changes, so that an earlier revision is restored with its comments. A
-- removed row loses its comment, even if it was removed by hand: then this trigger adds that to the revision.
create or replace function keep_policy_comments() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  with said as (
    select r.ptype, r.rule from jsonb_array_elements(new.comments) entry, public.policy_row_of(entry -> 'row') r
  ), gone as (
    delete from public.policy_comments c using public.policy_rows_claimed('[]', new.removed) r
     where c.ptype = r.ptype and c.rule = r.rule and (c.ptype, c.rule) not in (select s.ptype, s.rule from said s)
    returning jsonb_build_object('row', jsonb_build_array(c.ptype) || c.rule, 'before', c.comment, 'after', null)
      as entry
  )
  select new.comments || coalesce(jsonb_agg(g.entry), '[]') into new.comments from gone g;
  delete from public.policy_comments c
   using jsonb_array_elements(new.comments) entry, public.policy_row_of(entry -> 'row') r
   where c.ptype = r.ptype and c.rule = r.rule;
  -- only for rows that exist
  insert into public.policy_comments (ptype, rule, comment)
    select c.ptype, c.rule, entry ->> 'after'
      from jsonb_array_elements(new.comments) entry, public.policy_row_of(entry -> 'row') r, public.casbin c
     where entry ->> 'after' is not null and c.ptype = r.ptype and c.rule = r.rule;
  return new;
end $$;
revoke execute on function keep_policy_comments from public;

create or replace trigger comments_kept before insert on policy_revisions
  for each row execute function keep_policy_comments();
