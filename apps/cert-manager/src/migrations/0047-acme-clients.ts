import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('acme_clients', {
    columns: {
      id: column.uuid().primary(),
      spaceId: column.uuid(),
      name: column.word(64),
      kid: column.word(32),
      hmacKeySealed: column.text(),
      names: column.json().nullable(),
      providerId: column.uuid().nullable(),
      createFqdns: column.boolean(),
      mayTakeOver: column.boolean(),
      allowedCidrs: column.json(),
      expiresAt: column.instant().nullable(),
      maxOrdersPerDay: column.integer(),
      maxAccounts: column.integer(),
      createdById: column.uuid(),
      createdByName: column.text(),
      createdAt: column.instant(),
      changedAt: column.instant(),
      keyChangedAt: column.instant(),
    },
    indexes: [
      { columns: ['kid'], unique: true },
      { columns: ['spaceId', 'name'], unique: true },
      { columns: ['spaceId', 'createdAt', 'id'] },
      { columns: ['providerId'], where: 'provider_id is not null' },
    ],
    references: [{ columns: ['spaceId'], table: 'spaces', onDelete: 'CASCADE' }],
  }),
];

/** Names and keys by which ACME clients obtain certificates in spaces. */
export const addAcmeClients: Migration = {
  name: '0047-acme-clients',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};
