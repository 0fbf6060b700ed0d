import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('signing_requests', {
    columns: {
      id: column.uuid().primary(),
      spaceId: column.uuid(),
      fqdnId: column.uuid(),
      fqdn: column.text(),
      csrId: column.uuid(),
      spkiSha256: column.text(),
      providerId: column.uuid(),
      wish: column.text(),
      caller: column.json(),
      attempt: column.integer(),
      leaseUntil: column.instant(),
      createdAt: column.instant(),
    },
    indexes: [{ columns: ['leaseUntil'] }],
  }),
];

/** Records calls of csr/sign before the CA is asked. */
export const addSigningRequests: Migration = {
  name: '0019-signing-requests',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};
