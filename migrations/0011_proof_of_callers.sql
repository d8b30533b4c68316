-- Replaced by functions that are told more of the caller (functions/enter_change.sql, find_user.sql).
drop function if exists caller_stands(bigint, text, uuid, text, text);
drop function if exists enter_change(text, bigint, bigint, text, text, uuid, text, text);
drop function if exists find_external_user(text, text);
drop function if exists find_user(bigint, uuid);
