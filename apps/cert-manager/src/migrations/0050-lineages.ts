import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('covered_names', {
    columns: {
      fqdnId: column.uuid().primary(),
      name: column.word(253).primary(),
      spaceId: column.uuid(),
    },
    indexes: [{ columns: ['spaceId', 'name'] }],
    references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
  }),
];

/**
 * Who renews an FQDN by ACME, as stored with its status, until when by the renewalInfo that the client has read, and which
 * other names that covers.
 */
export const addLineages: Migration = {
  name: '0050-lineages',
  up: async (runner, dialect) => {
    const { word, text } = dialect.types;
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    // by plain SQL: TypeORM would copy the table on SQLite
    await runner.query(`alter table fqdn_standings add column client ${word}(8)${collation}`);
    await runner.query(`alter table fqdn_standings add column lineages ${text}${collation}`);
    await createTables(runner, dialect, tables);
    await runner.query(`alter table acme_server_orders add column info_window_end ${dialect.types.instant}`);
  },
  down: async (runner) => {
    await runner.query('alter table acme_server_orders drop column info_window_end');
    await dropTables(runner, tables);
    await runner.query('alter table fqdn_standings drop column lineages');
    await runner.query('alter table fqdn_standings drop column client');
  },
};
