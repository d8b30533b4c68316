-- Two tabs of a browser may present one refresh token at the same moment, and each gets a successor (src/identity/
-- sign-in.ts). The later ones name the first: when one of them is used, all of them are spent. Null: there was none.
alter table refresh_tokens add column twin_of bigint;
