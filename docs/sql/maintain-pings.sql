-- Creates the partitions of pings for the next three months, and drops those that ended more than three months ago. Run
-- this every day. Rows in pings_default mean that a run was missed; move them before you create the partition of their
-- month.
do $$
declare
  this_month timestamp := date_trunc('month', now() at time zone 'utc');
  month timestamp;
  old text;
begin
  perform set_config('lock_timeout', '5s', true);
  for ahead in 1..3 loop
    month := this_month + make_interval(months => ahead);
    execute format('create table if not exists %I partition of pings for values from (%s) to (%s) with (fillfactor = 90)',
      'pings_' || to_char(month, 'YYYY_MM'),
      (extract(epoch from month) * 1000000)::bigint,
      (extract(epoch from month + interval '1 month') * 1000000)::bigint);
  end loop;
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'pings'::regclass and c.relname ~ '^pings_\d{4}_\d{2}$'
      and to_date(substr(c.relname, 7), 'YYYY_MM') + interval '1 month' <= this_month - interval '3 months'
  loop
    execute format('drop table %I', old);
  end loop;
end $$;
