import { addColumns, column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const renewalQueue = defineTable('renewal_queue', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    spaceId: column.uuid(),
    certificateId: column.uuid(),
    providerId: column.uuid(),
    status: column.word(16),
    scheduledAt: column.instant(),
    createdAt: column.instant(),
    isTest: column.boolean(),
    attempt: column.integer(),
    leaseOwner: column.word(64).nullable(),
    leaseUntil: column.instant().nullable(),
    retryOf: column.uuid().nullable(),
    reason: column.text().nullable(),
    finishedAt: column.instant().nullable(),
    journal: column.json().nullable(),
    adviceDueAt: column.instant().nullable(),
    windowStart: column.instant().nullable(),
    windowEnd: column.instant().nullable(),
    explanationUrl: column.text().nullable(),
  },
  indexes: [
    {
      name: 'uq_renewal_queue_open',
      columns: ['fqdnId'],
      unique: true,
      where: "is_test = false and status in ('pending', 'processing')",
    },
    {
      name: 'uq_renewal_queue_processing',
      columns: ['fqdnId'],
      unique: true,
      where: "status = 'processing'",
    },
    { columns: ['status', 'providerId', 'scheduledAt', 'id'] },
    {
      name: 'ix_renewal_queue_troubled',
      columns: ['status', 'attempt'],
      where: "status = 'pending' and attempt > 3",
    },
    { columns: ['adviceDueAt'], where: 'advice_due_at is not null' },
    { columns: ['fqdnId', 'status', 'createdAt', 'id'] },
    { columns: ['scheduledAt', 'id'] },
    { columns: ['status', 'scheduledAt', 'id'] },
    { columns: ['spaceId', 'scheduledAt', 'id'] },
    { columns: ['spaceId', 'status', 'scheduledAt', 'id'] },
  ],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

export const addRenewals: Migration = {
  name: '0005-renewals',
  up: async (runner, dialect) => {
    await createTables(runner, dialect, [renewalQueue]);
    await addColumns(runner, dialect, 'fqdns', { renewAfterPermille: column.integer().nullable() });
  },
  down: async (runner) => {
    await runner.dropColumn('fqdns', 'renew_after_permille');
    await dropTables(runner, [renewalQueue]);
  },
};
