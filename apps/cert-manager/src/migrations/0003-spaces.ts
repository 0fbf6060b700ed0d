import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const spaces = defineTable('spaces', {
  columns: {
    id: column.uuid().primary(),
    name: column.text(),
    description: column.text(),
    createdAt: column.instant(),
  },
  indexes: [{ columns: ['createdAt', 'id'] }],
});

const fqdns = defineTable('fqdns', {
  columns: {
    id: column.uuid().primary(),
    spaceId: column.uuid(),
    fqdn: column.word(253),
    description: column.text(),
    providerId: column.uuid().nullable(),
    renewalEnabled: column.boolean(),
    createdAt: column.instant(),
  },
  indexes: [{ columns: ['spaceId', 'fqdn'], unique: true }, { columns: ['spaceId', 'createdAt', 'id'] }],
  references: [
    { columns: ['spaceId'], table: 'spaces', onDelete: 'CASCADE' },
    { columns: ['providerId'], table: 'providers', onDelete: 'SET NULL' },
  ],
});

const csrs = defineTable('csrs', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    csrPem: column.text(),
    description: column.text(),
    spkiSha256: column.word(64),
    createdAt: column.instant(),
  },
  indexes: [{ columns: ['fqdnId', 'createdAt', 'id'] }],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

export const addSpaces: Migration = {
  name: '0003-spaces',
  up: (runner, dialect) => createTables(runner, dialect, [spaces, fqdns, csrs]),
  down: (runner) => dropTables(runner, [spaces, fqdns, csrs]),
};
