import {
  addIndexes,
  column,
  createTables,
  type Dialect,
  defineTable,
  dropTables,
  executeSql,
  type Migration,
} from '@certloop/db';

const issuanceJobs = defineTable('issuance_jobs', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    spaceId: column.uuid(),
    csrId: column.uuid(),
    providerId: column.uuid(),
    kind: column.word(16),
    status: column.word(16),
    caller: column.json(),
    steps: column.json(),
    orderState: column.json().nullable(),
    isConfirmed: column.boolean(),
    replacesId: column.uuid().nullable(),
    certificateId: column.uuid().nullable(),
    message: column.text(),
    attempt: column.integer(),
    leaseUntil: column.instant().nullable(),
    createdAt: column.instant(),
    finishedAt: column.instant().nullable(),
  },
  indexes: [
    {
      name: 'uq_issuance_jobs_open',
      columns: ['fqdnId'],
      unique: true,
      where: "status in ('running', 'waiting')",
    },
    { columns: ['fqdnId', 'createdAt', 'id'] },
    { columns: ['status', 'leaseUntil'] },
    { columns: ['finishedAt'] },
  ],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});
const bySpace = [{ columns: ['spaceId', 'createdAt', 'id'] }];

const isJob = "is_order and cause <> 'renewal'";
const jobColumns = `id, fqdn_id, space_id, csr_id, provider_id, kind, status, caller, steps, order_state, is_confirmed,
  replaces_id, certificate_id, message, attempt, lease_until, created_at, finished_at`;
const issuanceColumns = `id, fqdn_id, fqdn, space_id, csr_id, spki_sha256, provider_id, cause, is_order, state, attempt,
  lease_until, next_at, idempotency_key, order_url, order_state, issued, steps, caller, is_confirmed, replaces_id,
  certificate_id, code, message, created_at, finished_at`;

const hasRunning = (job: string) =>
  `exists (select 1 from issuances r where r.fqdn_id = ${job}.fqdn_id and r.state = 'running' and r.id <> ${job}.id)`;

/** The state of a job; one whose FQDN has a running issuance is queued, and nothing else takes it before its lease ends. */
const stateOf = (job: string) => `case when ${job}.status = 'completed' then 'issued'
  when ${job}.status = 'failed' and ${job}.lease_until is not null then 'unknown'
  when ${job}.status = 'running' and (${job}.lease_until is null or ${hasRunning(job)}) then 'queued'
  else ${job}.status end`;
/** When a job is taken up that is not running; `lease` is until when that of another process holds. */
const nextAtOf = (job: string, state: string, lease = `${job}.lease_until`) => `case ${state}
  when 'queued' then coalesce(${lease}, ${job}.created_at) when 'unknown' then ${job}.lease_until end`;
const valuesOf = (
  job: string,
  {
    state,
    text,
    lease = `${job}.lease_until`,
  }: { readonly state: string; readonly text: string; readonly lease?: string },
) => `${job}.id,
  ${job}.fqdn_id, f.fqdn, ${job}.space_id, ${job}.csr_id,
  coalesce((select c.spki_sha256 from csrs c where c.id = ${job}.csr_id), ''), ${job}.provider_id, ${job}.kind, true,
  ${state}, ${job}.attempt, case when ${state} = 'running' then ${lease} end,
  ${nextAtOf(job, state, lease)}, cast(${job}.id as ${text}),
  ${job}.order_state ->> 'url', ${job}.order_state, null, ${job}.steps, ${job}.caller, ${job}.is_confirmed,
  ${job}.replaces_id, ${job}.certificate_id, null, ${job}.message, ${job}.created_at, ${job}.finished_at`;

const leaseMs = 60_000;
/** A process that could not extend its lease while the jobs are moved may still be at work. */
const extendedLease = 'case when j.lease_until < $1 then $1 else j.lease_until end';

const statusOf = `case state when 'queued' then 'running' when 'unknown' then 'failed' when 'issued' then 'completed'
  else state end`;
const leaseOf = "case when state in ('queued', 'unknown') then next_at else lease_until end";
const selectJobs = (status: string) => `select id, fqdn_id, space_id, csr_id, provider_id, cause as kind,
  ${status} as status, caller, steps, order_state, is_confirmed, replaces_id, certificate_id, message, attempt,
  ${leaseOf} as lease_until, created_at, finished_at from issuances where ${isJob}`;

const formerTable = 'former_issuance_jobs';

/**
 * Creates the view that processes of the version before read and write in place of their table, until none of them is
 * left. The result of their prepared statements must not change its types.
 *
 * Their reading transactions find the view at once, also those whose snapshot is older than the move, such as a read
 * that waited for it. These do not see the moved rows in `issuances`, but they still see them in the former table,
 * where the move deletes them; all later ones see them only in `issuances`. A select for update locks no rows of a
 * union: the claims of that version write only rows that are still due.
 */
const bridge = [
  `create view issuance_jobs as ${selectJobs(`(${statusOf})::varchar(16) collate "C"`)}
  union all select ${jobColumns} from ${formerTable}`,
  `create function write_issuance_job() returns trigger language plpgsql as $$
declare
  new_state varchar(16);
begin
  if tg_op = 'DELETE' then
    delete from issuances where id = old.id;
    return case when found then old end;
  end if;
  new_state := ${stateOf('new')};
  if tg_op = 'INSERT' then
    insert into issuances (${issuanceColumns})
      select ${valuesOf('new', { state: 'new_state', text: 'text' })} from fqdns f where f.id = new.fqdn_id;
    return new;
  end if;
  update issuances set state = new_state, caller = new.caller, steps = new.steps, order_state = new.order_state,
    order_url = new.order_state ->> 'url', is_confirmed = new.is_confirmed, certificate_id = new.certificate_id,
    message = new.message, attempt = new.attempt, finished_at = new.finished_at,
    lease_until = case when new_state = 'running' then new.lease_until end,
    next_at = ${nextAtOf('new', 'new_state')}
  where id = old.id and attempt = old.attempt and ${statusOf} = old.status;
  return case when found then new end;
end $$`,
  `create trigger write_issuance_job instead of insert or update or delete on issuance_jobs
  for each row execute function write_issuance_job()`,
  // their table referred to the FQDNs; what a CA may have issued is still found and stored, or named by the audit log
  `create function delete_issuance_jobs() returns trigger language plpgsql as $$
begin
  update issuances set state = 'unknown', next_at = finished_at from deleted where fqdn_id = deleted.id and is_order
    and cause = 'renewal' and state = 'failed' and order_state ->> 'isFinalizing' = 'true';
  delete from issuances using deleted where fqdn_id = deleted.id and is_order
    and (state in ('issued', 'failed') or coalesce(order_state ->> 'isFinalizing', '') <> 'true');
  return null;
end $$`,
  `create trigger delete_issuance_jobs after delete on fqdns referencing old table as deleted
  for each statement execute function delete_issuance_jobs()`,
];

/** Records the requests for certificates by providers with orders where all others are. */
export const moveJobs: Migration = {
  name: '0042-jobs',
  up: async (runner, dialect) => {
    const { hasConcurrentWriters } = dialect.capabilities;
    if (hasConcurrentWriters) {
      // shorter than a server waits before it ends one of two that wait for each other: that one could be a request
      await runner.query('set local lock_timeout = 500');
      // processes of the version before wait, and then find the view
      await runner.query('lock table fqdns, issuances, issuance_jobs in access exclusive mode');
    }
    const values = valuesOf('j', { state: stateOf('j'), text: textOf(dialect), lease: extendedLease });
    await executeSql(
      runner.manager,
      `insert into issuances (${issuanceColumns}) select ${values} from issuance_jobs j join fqdns f on f.id = j.fqdn_id`,
      [new Date(Date.now() + 3 * leaseMs)],
    );
    if (!hasConcurrentWriters) return dropTables(runner, [issuanceJobs]);
    await runner.query(`alter table issuance_jobs rename to ${formerTable}`);
    await runner.query(`delete from ${formerTable}`);
    for (const statement of bridge) await runner.query(statement);
  },
  down: async (runner, dialect) => {
    if (dialect.capabilities.hasConcurrentWriters) {
      await runner.query('drop view issuance_jobs');
      await runner.query('drop function write_issuance_job()');
      await runner.query('drop trigger delete_issuance_jobs on fqdns');
      await runner.query('drop function delete_issuance_jobs()');
      await runner.query(`alter table ${formerTable} rename to issuance_jobs`);
    } else {
      await createTables(runner, dialect, [issuanceJobs]);
      await addIndexes(runner, issuanceJobs.name, bySpace);
    }
    await runner.query(
      `insert into issuance_jobs (${jobColumns}) ${selectJobs(statusOf)} and fqdn_id in (select id from fqdns)`,
    );
    await runner.query(`delete from issuances where ${isJob}`);
  },
};

const textOf = ({ types }: Dialect) => types.text;
