import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const indexes = [
  { name: 'ix_fqdn_standings_covered', columns: ['coveredBy'], where: 'covered_by is not null' },
];

/** Who renews an FQDN by ACME, as stored with its status, and until when by the renewalInfo that the client has read. */
export const addLineages: Migration = {
  name: '0050-lineages',
  up: async (runner, dialect) => {
    const { word, text } = dialect.types;
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    // by plain SQL: TypeORM would copy the table on SQLite
    await runner.query(`alter table fqdn_standings add column client ${word}(8)${collation}`);
    await runner.query(`alter table fqdn_standings add column lineages ${text}${collation}`);
    const uuid = dialect.capabilities.hasConcurrentWriters ? dialect.types.uuid : `${dialect.types.uuid}(36)`;
    await runner.query(`alter table fqdn_standings add column covered_by ${uuid}`);
    await addIndexes(runner, 'fqdn_standings', indexes);
    await runner.query(`alter table acme_server_orders add column info_window_end ${dialect.types.instant}`);
  },
  down: async (runner) => {
    await runner.query('alter table acme_server_orders drop column info_window_end');
    await dropIndexes(runner, 'fqdn_standings', indexes);
    await runner.query('alter table fqdn_standings drop column covered_by');
    await runner.query('alter table fqdn_standings drop column lineages');
    await runner.query('alter table fqdn_standings drop column client');
  },
};
