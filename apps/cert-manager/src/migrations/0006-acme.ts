import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const acmeAccounts = defineTable('acme_accounts', {
  columns: {
    id: column.uuid().primary(),
    providerId: column.uuid(),
    directoryUrl: column.word(2000),
    sealedKey: column.text(),
    sealedNextKey: column.text().nullable(),
    url: column.text().nullable(),
    contactEmails: column.json(),
    createdAt: column.instant(),
    updatedAt: column.instant(),
  },
  indexes: [{ columns: ['providerId', 'directoryUrl'], unique: true }],
  references: [{ columns: ['providerId'], table: 'providers', onDelete: 'CASCADE' }],
});

const challengeTokens = defineTable('acme_challenge_tokens', {
  columns: {
    token: column.word(128).primary(),
    identifier: column.word(253),
    keyAuthorization: column.text(),
    createdAt: column.instant(),
    expiresAt: column.instant(),
  },
  indexes: [{ columns: ['expiresAt'] }],
});

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

const tables = [acmeAccounts, challengeTokens, issuanceJobs];

export const addAcme: Migration = {
  name: '0006-acme',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};
