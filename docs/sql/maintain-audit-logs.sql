-- Creates the partitions of the audit log for the next three months, and drops those that ended more than 24 months ago.
-- Run this every day. Rows in audit_logs_default mean that a run was missed; move them before you create the partition
-- of their month.
do $$
declare
  this_month timestamp := date_trunc('month', now() at time zone 'utc');
  month timestamp;
  old text;
begin
  perform set_config('lock_timeout', '5s', true);
  for ahead in 1..3 loop
    month := this_month + make_interval(months => ahead);
    execute format('create table if not exists %I partition of audit_logs for values from (%L) to (%L)',
      'audit_logs_' || to_char(month, 'YYYY_MM'), month || '+00', month + interval '1 month' || '+00');
  end loop;
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'audit_logs'::regclass and c.relname ~ '^audit_logs_\d{4}_\d{2}$'
      and to_date(substr(c.relname, 12), 'YYYY_MM') + interval '1 month' <= this_month - interval '24 months'
  loop
    execute format('drop table %I', old);
  end loop;
end $$;
