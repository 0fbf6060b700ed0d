import type { Migration } from '@certloop/db';

/** Who renews an FQDN by ACME, as stored with its status. */
export const addLineages: Migration = {
  name: '0050-lineages',
  up: async (runner, dialect) => {
    const { word, text } = dialect.types;
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    // by plain SQL: TypeORM would copy the table on SQLite
    await runner.query(`alter table fqdn_standings add column client ${word}(8)${collation}`);
    await runner.query(`alter table fqdn_standings add column lineages ${text}${collation}`);
  },
  down: async (runner) => {
    await runner.query('alter table fqdn_standings drop column lineages');
    await runner.query('alter table fqdn_standings drop column client');
  },
};
