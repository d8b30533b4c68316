-- Visits wait here, a batch a row, until count_visits() adds them to the totals: about a second's at once, so that
-- those of one link in one hour change each total once.
create type visit_kind as (
  referrer text,
  country  text,
  browser  text,
  os       text,
  device   text,
  bot      boolean,
  -- it is kept by itself, too
  single   boolean
);
create type added_visit as (
  link_id bigint,
  time    timestamptz(3),
  -- among the kinds of its batch, from 1 on
  kind    integer,
  -- the visitor's first visit of the link on that day
  is_new  boolean
);
create table added_visits (
  id     bigint generated always as identity primary key,
  kinds  visit_kind[] not null,
  visits added_visit[] not null
);
grant select, insert, delete on added_visits to visit_counter;

-- add_months() makes both; add_visits() has other parameters
drop function if exists add_decision_months;
drop function if exists add_visit_months;
drop function if exists add_visits;
