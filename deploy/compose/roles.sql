-- Run once by the database's image, in an empty database: the schema's owner, and the service's login, which owns nothing.
-- For a trial on one machine: put passwords of your own here and in compose.yaml.
create role linkgate_owner login createrole password 'owner-password';
create role linkgate login noinherit password 'service-password';
create database linkgate owner linkgate_owner;
