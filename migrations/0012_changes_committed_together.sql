-- Changes that come at once are committed in one transaction, one behind the other (docs/decisions/0019). Who enters the second of
-- them does so in the role of the first, and proves its caller as that one.
grant execute on function caller_stands to links_own, links_any;
