-- Limits a transaction to the deadline of its request, in milliseconds since 1970 by this server's clock: no statement
-- and no wait for a lock lasts longer, and require_in_time() refuses the commit afterwards. So a transaction that
-- reaches the server late commits nothing, and one whose process freezes holds its locks only a little longer.
-- `most_ms`: what the deadline leaves by the clock of the service; an older version does not tell it. If this server's
-- clock was set since the connection compared it, nothing seems to be left, or more than that: the service then closes
-- the connection.
drop function if exists start_deadline(bigint);
create or replace function start_deadline(until_ms bigint, most_ms bigint default null) returns void
  language plpgsql volatile as $$
declare
  now_ms bigint := public.clock_ms();
  ends_ms bigint := least(until_ms, now_ms + most_ms);
  left_ms bigint := greatest(1, ends_ms - now_ms);
begin
  if until_ms < now_ms or until_ms - now_ms > most_ms + 1000 then
    raise exception using errcode = 'LG010', message = 'the deadline has passed, or the clock of this server was set';
  end if;
  perform set_config('app.deadline', ends_ms::text, true), set_config('lock_timeout', left_ms::text, true),
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
