-- Partitions the pings of check-monitor by month, UTC, on PostgreSQL 15 or later; to be run once, by the owner of the
-- table: psql -v ON_ERROR_STOP=1 -f partition-pings.sql <database>. What there is becomes the first partition and is
-- not copied. See docs/scale.md.

-- Beside the running service: the new index, and the proof that all pings are of this month or earlier. The index is
-- not unique, as a unique one would have to contain the time, and change with every ping.
create index concurrently ix_pings_before on pings (check_id, slot);

do $$
declare
  bound bigint := extract(epoch from date_trunc('month', now() at time zone 'utc') + interval '1 month') * 1000000;
begin
  execute format('alter table pings add constraint ck_pings_before check (at < %s) not valid', bound);
end $$;

alter table pings validate constraint ck_pings_before;

-- Pings wait for this part, which takes milliseconds.
begin;

set local lock_timeout = '5s';

alter table pings rename to pings_before;

alter table pings_before drop constraint pk_pings;

create table pings (like pings_before including defaults,
  constraint fk_pings_check_id foreign key (check_id) references checks (id) on delete cascade)
  partition by range (at);

create index ix_pings_check_id_slot on pings (check_id, slot);

do $$
declare
  bound bigint := extract(epoch from date_trunc('month', now() at time zone 'utc') + interval '1 month') * 1000000;
begin
  execute format('alter table pings attach partition pings_before for values from (minvalue) to (%s)', bound);
end $$;

alter table pings_before drop constraint ck_pings_before;

-- what no month takes: a ping is never refused for want of a partition
create table pings_default partition of pings default with (fillfactor = 90);

commit;
