import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

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

/** Records every request for a certificate in one table, whatever its cause. */
export const addIssuances: Migration = {
  name: '0041-issuances',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: async (runner) => {
    await runner.query(returnRequests);
    await dropTables(runner, tables);
  },
};
