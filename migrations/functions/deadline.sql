-- Limits a transaction to the deadline of its request, in milliseconds since 1970 by this server's clock: no statement
-- and no wait for a lock lasts longer, and require_in_time() refuses the commit afterwards. So a transaction that
-- reaches the server late commits nothing, and one whose process freezes holds its locks only a little longer.
create or replace function start_deadline(until_ms bigint) returns void
  language plpgsql volatile as $$
declare
  left_ms bigint := greatest(1, until_ms - public.clock_ms());
begin
  perform set_config('app.deadline', until_ms::text, true), set_config('lock_timeout', left_ms::text, true),
    set_config('statement_timeout', left_ms::text, true),
    -- later, so that a late commit is told that it is late
    set_config('idle_in_transaction_session_timeout', (left_ms + 2000)::text, true);
end $$;

-- The last statement of such a transaction.
create or replace function require_in_time() returns void
  language plpgsql volatile as $$
begin
  if public.clock_ms() > current_setting('app.deadline')::bigint then
    raise exception using errcode = 'LG010', message = 'the deadline of the request has passed';
  end if;
end $$;

create or replace function clock_ms() returns bigint
  language sql volatile as $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint $$;
