-- For make-databases.sh: the role and the database `name` of one service.
\getenv password DATABASE_PASSWORD
set client_min_messages = warning;

select format('create role %I', :'name') where not exists (select from pg_roles where rolname = :'name') \gexec
alter role :"name" with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';

select format('create database %I', :'name') where not exists (select from pg_database where datname = :'name') \gexec
alter database :"name" owner to :"name";
-- the other service must not connect; the owner may
revoke all on database :"name" from public;

\connect :"name"
set client_min_messages = warning;

-- What the superuser owned before services had roles. Indexes and the sequences of columns follow their tables;
-- objects of extensions stay with them.
select format(
  'alter %s %I.%I owner to %I',
  case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
  nspname, relname, :'name'
)
from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where nspname !~ '^pg_' and nspname <> 'information_schema'
  and relkind in ('r', 'p', 'S', 'v', 'm') and relowner <> :'name'::regrole
  and not exists (
    select from pg_depend
    where classid = 'pg_class'::regclass and objid = pg_class.oid
      and (deptype = 'e' or (relkind = 'S' and deptype in ('a', 'i')))
  )
\gexec

select format('alter routine %s owner to %I', pg_proc.oid::regprocedure, :'name')
from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
where nspname !~ '^pg_' and nspname <> 'information_schema' and proowner <> :'name'::regrole
  and not exists (
    select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e'
  )
\gexec

select format('alter schema %I owner to %I', nspname, :'name')
from pg_namespace
where nspname !~ '^pg_' and nspname not in ('information_schema', 'public') and nspowner <> :'name'::regrole
\gexec
