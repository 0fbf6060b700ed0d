import type { Migration } from '@certloop/db';

/** The view by which processes of the version before 0042-jobs read and wrote their table of jobs. */
const bridge = [
  'drop view if exists issuance_jobs',
  'drop function if exists write_issuance_job()',
  'drop trigger if exists delete_issuance_jobs on fqdns',
  'drop function if exists delete_issuance_jobs()',
  'drop table if exists former_issuance_jobs',
];

const insertRequests = `insert into issuances
  (id, fqdn_id, fqdn, space_id, csr_id, spki_sha256, provider_id, cause, is_order, state, attempt, next_at, idempotency_key,
    steps, caller, is_confirmed, message, created_at)`;
const moveRequests = (steps: string) => `${insertRequests}
  select id, fqdn_id, fqdn, space_id, csr_id, spki_sha256, provider_id,
    case when caller ->> 'kind' = 'scheduler' then 'renewal' else 'sign' end, false, 'unknown', attempt + 1, lease_until,
    wish, ${steps}, caller, true, 'in progress', created_at
  from signing_requests`;

/**
 * Records in `issuances` the last requests of the former table, and by which issuance a renewal has asked its CA. The former
 * table stays for processes of the version before, which write nothing to it.
 */
export const addOneRecord: Migration = {
  name: '0043-one-record',
  up: async (runner, dialect) => {
    const { hasConcurrentWriters } = dialect.capabilities;
    if (hasConcurrentWriters) for (const statement of bridge) await runner.query(statement);
    await runner.query(moveRequests(hasConcurrentWriters ? "'{}'::jsonb" : "'{}'"));
    await runner.query('delete from signing_requests');
    const { uuid } = dialect.types;
    const uuidType = hasConcurrentWriters ? uuid : `${uuid}(36)`;
    await runner.query(`alter table renewal_queue add column issuance_id ${uuidType}`);
  },
  down: async (runner) => {
    await runner.query('alter table renewal_queue drop column issuance_id');
  },
};
