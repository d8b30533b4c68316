-- A batch of visits is there for a second: compressing it cost more than a tenth of what PostgreSQL spends on visits.
alter table added_visits alter column visits set storage external;
