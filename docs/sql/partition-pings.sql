-- Partitions the pings of check-monitor by month, UTC, on PostgreSQL 15 or later. Run this once, as the owner of the
-- table: psql -v ON_ERROR_STOP=1 -f partition-pings.sql <database>. Existing rows become the first partition and are
-- not copied. See docs/scale.md.

-- While the service runs: the new index, and a constraint that all pings are of this month or earlier. The index is not
-- unique: a unique one would have to contain the time, and every ping would change it.
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

-- rows without a monthly partition: no ping is rejected
create table pings_default partition of pings default with (fillfactor = 90);

commit;
