import { column, createTables, type Dialect, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('issuances', {
    columns: {
      id: column.uuid().primary(),
      fqdnId: column.uuid(),
      fqdn: column.text(),
      spaceId: column.uuid(),
      csrId: column.uuid(),
      spkiSha256: column.text(),
      providerId: column.uuid(),
      cause: column.word(16),
      isOrder: column.boolean(),
      state: column.word(16),
      attempt: column.integer(),
      leaseUntil: column.instant().nullable(),
      nextAt: column.instant().nullable(),
      idempotencyKey: column.text(),
      orderUrl: column.text().nullable(),
      orderState: column.json().nullable(),
      issued: column.json().nullable(),
      steps: column.json(),
      caller: column.json(),
      isConfirmed: column.boolean(),
      replacesId: column.uuid().nullable(),
      certificateId: column.uuid().nullable(),
      code: column.text().nullable(),
      message: column.text(),
      createdAt: column.instant(),
      finishedAt: column.instant().nullable(),
    },
    indexes: [
      { name: 'uq_issuances_running', columns: ['fqdnId'], unique: true, where: "state = 'running'" },
      {
        name: 'uq_issuances_open_order',
        columns: ['fqdnId'],
        unique: true,
        where: "is_order and cause <> 'renewal' and state in ('queued', 'running', 'waiting')",
      },
      { columns: ['state', 'leaseUntil'], where: 'lease_until is not null' },
      { columns: ['state', 'nextAt'], where: 'next_at is not null' },
      { columns: ['orderUrl'], where: 'order_url is not null' },
      { columns: ['fqdnId', 'createdAt', 'id'] },
      { columns: ['spaceId', 'createdAt', 'id'], where: 'is_order' },
      { columns: ['finishedAt'], where: 'finished_at is not null' },
    ],
  }),
];

// open requests to CAs that issue at once, as an earlier version records them
const returnRequests = `insert into signing_requests
    (id, space_id, fqdn_id, fqdn, csr_id, spki_sha256, provider_id, wish, caller, attempt, lease_until, created_at)
  select id, space_id, fqdn_id, fqdn, csr_id, spki_sha256, provider_id, idempotency_key, caller, attempt,
    coalesce(lease_until, next_at), created_at
  from issuances where not is_order and state in ('running', 'unknown')`;

// what a process of the version before has under way stays in its journal, and it may continue what is copied here
const hasOrder = "status = 'pending' and journal -> 'order' ->> 'url' is not null";

const scheduler = `'{"kind":"scheduler","userId":"00000000-0000-4000-8000-000000000001","username":"scheduler","requestId":"'
  || q.id || '","ipAddress":"","userAgent":""}'`;

/** The orders that failed tries of renewals have left, by the ids of their entries. */
function copyOrders({ types, capabilities }: Dialect): string {
  // SQLite would make a number of the text
  const asJson = (value: string) =>
    capabilities.hasConcurrentWriters ? `cast(${value} as ${types.json})` : value;
  const idOf = (member: string) => `cast(q.journal ->> '${member}' as ${types.uuid})`;
  return `insert into issuances (id, fqdn_id, fqdn, space_id, csr_id, spki_sha256, provider_id, cause, is_order, state,
      attempt, idempotency_key, order_url, order_state, steps, caller, is_confirmed, message, created_at, finished_at)
    select q.id, q.fqdn_id, f.fqdn, q.space_id, ${idOf('csrId')}, coalesce(c.spki_sha256, ''),
      coalesce(${idOf('providerId')}, q.provider_id), 'renewal', true, 'failed', q.attempt, cast(q.id as ${types.text}),
      q.journal -> 'order' ->> 'url', q.journal -> 'order', ${asJson("'{}'")},
      ${asJson(scheduler)}, true, 'in progress', q.created_at, q.created_at
    from renewal_queue q join fqdns f on f.id = q.fqdn_id left join csrs c on c.id = ${idOf('csrId')}
    where q.${hasOrder}`;
}

const withRequest = ({ capabilities }: Dialect) =>
  capabilities.hasConcurrentWriters
    ? "journal || jsonb_build_object('requestId', cast(id as text))"
    : "json_set(journal, '$.requestId', id)";

/** Records every request for a certificate in one table, whatever its cause. */
export const addIssuances: Migration = {
  name: '0041-issuances',
  up: async (runner, dialect) => {
    await createTables(runner, dialect, tables);
    await runner.query(copyOrders(dialect));
    await runner.query(`update renewal_queue set journal = ${withRequest(dialect)} where ${hasOrder}`);
  },
  down: async (runner) => {
    await runner.query(returnRequests);
    await dropTables(runner, tables);
  },
};
