-- Pages of the log by status, by layer and by revision (src/layers/4-data/decisions.ts). What most entries have needs
-- no index, and pays for none: the newest entries have it.
create index decisions_of_status on decisions (status, id) where status <> 200;
create index decisions_of_layer on decisions (layer, id) where layer <> 'object';
create index decisions_of_revision on decisions (revision, id);
