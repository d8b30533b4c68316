-- Bounds a transaction by what its request has left: no statement and no wait for a lock lasts longer, and
-- require_in_time() refuses the commit afterwards.
create or replace function start_deadline(left_ms bigint) returns void
  language plpgsql volatile as $$
begin
  perform set_config('lock_timeout', left_ms::text, true), set_config('statement_timeout', left_ms::text, true),
    set_config('app.deadline', (clock_timestamp() + left_ms * interval '1 millisecond')::text, true);
end $$;

-- The last statement of such a transaction.
create or replace function require_in_time() returns void
  language plpgsql volatile as $$
begin
  if clock_timestamp() > current_setting('app.deadline')::timestamptz then
    raise exception using errcode = 'LG010', message = 'the deadline of the request has passed';
  end if;
end $$;
