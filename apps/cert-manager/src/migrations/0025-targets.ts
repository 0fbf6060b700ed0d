import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('targets', {
    columns: {
      id: column.uuid().primary(),
      fqdnId: column.uuid(),
      spaceId: column.uuid(),
      host: column.word(253),
      port: column.integer(),
      protocol: column.word(8),
      sni: column.word(253),
      addresses: column.json().nullable(),
      mode: column.word(6),
      everySeconds: column.integer(),
      graceSeconds: column.integer(),
      enabled: column.boolean(),
      source: column.word(5),
      dueAt: column.instant(),
      leaseToken: column.uuid().nullable(),
      createdAt: column.instant(),
    },
    indexes: [
      { columns: ['fqdnId', 'host', 'port', 'protocol', 'sni'], unique: true },
      { columns: ['spaceId'] },
      { columns: ['dueAt', 'id'], where: "enabled = true and mode = 'probe'" },
    ],
    references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
  }),
  defineTable('target_states', {
    columns: {
      targetId: column.uuid().primary(),
      address: column.word(45).primary(),
      class: column.word(20),
      since: column.instant(),
      failingSince: column.instant().nullable(),
      misses: column.integer(),
      serialNumber: column.word(64).nullable(),
      leafSha256: column.word(64).nullable(),
      spkiSha256: column.word(64).nullable(),
      issuer: column.text().nullable(),
      notBefore: column.instant().nullable(),
      notAfter: column.instant().nullable(),
      stage: column.word(16).nullable(),
      failure: column.word(32).nullable(),
      detail: column.text().nullable(),
      observedAt: column.instant(),
      observer: column.word(8),
    },
    references: [{ columns: ['targetId'], table: 'targets', onDelete: 'CASCADE' }],
  }),
  defineTable('target_changes', {
    columns: {
      id: column.uuid().primary(),
      targetId: column.uuid(),
      address: column.word(45),
      at: column.instant(),
      class: column.word(20),
      serialNumber: column.word(64).nullable(),
      leafSha256: column.word(64).nullable(),
    },
    indexes: [{ columns: ['targetId', 'at', 'id'] }, { columns: ['at', 'id'] }],
    references: [{ columns: ['targetId'], table: 'targets', onDelete: 'CASCADE' }],
  }),
  defineTable('served_fqdns', {
    columns: {
      id: column.uuid().primary(),
      spaceId: column.uuid(),
      fqdn: column.word(253),
      class: column.word(20).nullable(),
      partial: column.boolean(),
      since: column.instant().nullable(),
      hint: column.text().nullable(),
      fault: column.text().nullable(),
      inServiceId: column.uuid().nullable(),
      createdAt: column.instant(),
    },
    indexes: [{ columns: ['spaceId', 'createdAt', 'id'] }, { columns: ['createdAt', 'id'] }],
    references: [{ columns: ['id'], table: 'fqdns', onDelete: 'CASCADE' }],
  }),
];

/** Places where certificates are served, and what they serve. */
export const addTargets: Migration = {
  name: '0025-targets',
  up: async (runner, dialect) => {
    await createTables(runner, dialect, tables);
    // by plain SQL: TypeORM would copy the whole table on SQLite
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    await runner.query(`alter table watched_fqdns add column served_fault text${collation}`);
  },
  down: async (runner) => {
    await runner.query('alter table watched_fqdns drop column served_fault');
    await dropTables(runner, tables);
  },
};
