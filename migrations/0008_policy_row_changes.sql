-- What a transaction has changed in the policy's rows (`claimed` false), and what its revision says that it has, until
-- its commit compares the two (functions/record_policy_edit_by_hand.sql). Empty between transactions, so not logged.
create unlogged table policy_row_changes (
  id          bigint generated always as identity,
  transaction xid8 not null default pg_current_xact_id(),
  ptype       text not null,
  rule        jsonb not null,
  change      integer not null check (change in (1, -1)),
  claimed     boolean not null
);

-- Transactions that have changed something of the policy: one row each, whose insertion has the commit look.
create unlogged table policy_edits_open (
  transaction xid8 primary key default pg_current_xact_id(),
  -- the revision that the transaction has written itself
  revision    bigint,
  -- true while the commit writes a revision in place of a missing one
  settling    boolean not null default false
);
