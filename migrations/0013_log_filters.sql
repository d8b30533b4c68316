-- What people look for among millions of entries: who was refused, and what changed of users and of the policy. Both
-- are few, and all other entries pay nothing for these indexes. A search among refusals checks the columns behind `id`
-- in the index, so it reads only the entries that it shows.
create index decisions_of_refusals on decisions (id, action, rule, layer) where effect <> 'allow';
create index decisions_of_changes on decisions (kind, id) where kind <> 'decision';
