-- Partitions the audit log of cert-manager by month, UTC, on PostgreSQL 15 or later. Run this once, as the owner of
-- the table: psql -v ON_ERROR_STOP=1 -f partition-audit-logs.sql <database>. Existing rows become the first partition
-- and are not copied. See docs/scale.md.

-- While the service runs: the new keys, and a constraint that all entries are of this month or earlier.
create unique index concurrently pk_audit_logs_before on audit_logs (id, timestamp);

create unique index concurrently uq_audit_logs_entry_id_before on audit_logs (entry_id, timestamp);

do $$
declare
  bound text := date_trunc('month', now() at time zone 'utc') + interval '1 month' || '+00';
begin
  execute format('alter table audit_logs add constraint ck_audit_logs_before check (timestamp < %L) not valid', bound);
end $$;

alter table audit_logs validate constraint ck_audit_logs_before;

-- Audited actions wait for this part, which takes milliseconds.
begin;

set local lock_timeout = '5s';

alter table audit_logs rename to audit_logs_before;

alter table audit_logs_before drop constraint pk_audit_logs;

alter table audit_logs_before add constraint pk_audit_logs_before primary key using index pk_audit_logs_before;

drop index uq_audit_logs_entry_id;

create table audit_logs (like audit_logs_before including defaults,
  constraint pk_audit_logs primary key (id, timestamp))
  partition by range (timestamp);

alter sequence audit_logs_id_seq owned by audit_logs.id;

create unique index uq_audit_logs_entry_id on audit_logs (entry_id, timestamp);

-- indexes with the names of the migrations, since later versions may change them; existing ones belong to the first partition
do $$
declare
  each record;
  bound text := date_trunc('month', now() at time zone 'utc') + interval '1 month' || '+00';
begin
  for each in
    select indexname as name, indexdef as made from pg_indexes
    where schemaname = current_schema() and tablename = 'audit_logs_before' and indexname like 'ix\_%'
  loop
    execute format('alter index %I rename to %I', each.name, each.name || '_before');
    execute regexp_replace(each.made, ' ON (\S+)\.audit_logs_before ', ' ON \1.audit_logs ');
  end loop;
  execute format('alter table audit_logs attach partition audit_logs_before for values from (minvalue) to (%L)', bound);
end $$;

alter table audit_logs_before drop constraint ck_audit_logs_before;

-- rows without a monthly partition: no row is rejected
create table audit_logs_default partition of audit_logs default;

commit;
