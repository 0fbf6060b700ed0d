import {
  addIndexes,
  column,
  createTables,
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

const hasRunning =
  "exists (select 1 from issuances r where r.fqdn_id = j.fqdn_id and r.state = 'running' and r.id <> j.id)";

/** The state of a job; one whose FQDN has a running issuance is queued, and nothing else takes it before its lease ends. */
const state = `case when j.status = 'completed' then 'issued'
  when j.status = 'failed' and j.lease_until is not null then 'unknown'
  when j.status = 'running' and (j.lease_until is null or ${hasRunning}) then 'queued'
  else j.status end`;

const leaseMs = 60_000;
/** A process that could not extend its lease while the jobs are moved may still be at work. */
const lease = 'case when j.lease_until < $1 then $1 else j.lease_until end';
const valuesOf = (text: string) => `j.id, j.fqdn_id, f.fqdn, j.space_id, j.csr_id,
  coalesce((select c.spki_sha256 from csrs c where c.id = j.csr_id), ''), j.provider_id, j.kind, true,
  ${state}, j.attempt, case when ${state} = 'running' then ${lease} end,
  case ${state} when 'queued' then coalesce(${lease}, j.created_at) when 'unknown' then j.lease_until end,
  cast(j.id as ${text}), j.order_state ->> 'url', j.order_state, null, j.steps, j.caller, j.is_confirmed,
  j.replaces_id, j.certificate_id, null, j.message, j.created_at, j.finished_at`;

const statusOf = `case state when 'queued' then 'running' when 'unknown' then 'failed' when 'issued' then 'completed'
  else state end`;
const leaseOf = "case when state in ('queued', 'unknown') then next_at else lease_until end";
const selectJobs = `select id, fqdn_id, space_id, csr_id, provider_id, cause as kind,
  ${statusOf} as status, caller, steps, order_state, is_confirmed, replaces_id, certificate_id, message, attempt,
  ${leaseOf} as lease_until, created_at, finished_at from issuances where ${isJob}`;

/** Records the requests for certificates by providers with orders where all others are. */
export const moveJobs: Migration = {
  name: '0042-jobs',
  up: async (runner, dialect) => {
    const values = valuesOf(dialect.types.text);
    await executeSql(
      runner.manager,
      `insert into issuances (${issuanceColumns}) select ${values} from issuance_jobs j join fqdns f on f.id = j.fqdn_id`,
      [new Date(Date.now() + 3 * leaseMs)],
    );
    await dropTables(runner, [issuanceJobs]);
  },
  down: async (runner, dialect) => {
    await createTables(runner, dialect, [issuanceJobs]);
    await addIndexes(runner, issuanceJobs.name, bySpace);
    await runner.query(
      `insert into issuance_jobs (${jobColumns}) ${selectJobs} and fqdn_id in (select id from fqdns)`,
    );
    await runner.query(`delete from issuances where ${isJob}`);
  },
};
