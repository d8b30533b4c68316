-- Whoever remembers links by their codes is told which of them changed (src/layers/4-data/link-cache.ts): both codes where one
-- was renamed, `*` where all are gone.
create function notify_link_change() returns trigger
  language plpgsql as $$
begin
  case tg_op
    when 'TRUNCATE' then perform pg_notify('linkgate_links', '*');
    when 'INSERT' then perform pg_notify('linkgate_links', new.code);
    else
      perform pg_notify('linkgate_links', old.code);
      if tg_op = 'UPDATE' and new.code <> old.code then
        perform pg_notify('linkgate_links', new.code);
      end if;
  end case;
  return null;
end $$;
create trigger notify_link_change after insert or update or delete on links for each row execute function notify_link_change();
create trigger notify_links_gone after truncate on links for each statement execute function notify_link_change();
