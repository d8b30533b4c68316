-- Aborts the transaction unless a row was found: for bulk requests that are all or nothing.
create or replace function require_row(is_there boolean) returns boolean
  language plpgsql volatile as $$
begin
  if is_there is not true then
    raise exception using errcode = 'LG011', message = 'the record changed after the decision';
  end if;
  return true;
end $$;
