import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('space_sizes', {
    columns: { spaceId: column.uuid().primary(), fqdnCount: column.integer() },
    references: [{ columns: ['spaceId'], table: 'spaces', onDelete: 'CASCADE' }],
  }),
];

/** How many FQDNs each space has. */
export const addSpaceSizes: Migration = {
  name: '0034-space-sizes',
  up: async (runner, dialect) => {
    await createTables(runner, dialect, tables);
    await runner.query(`insert into space_sizes (space_id, fqdn_count)
      select p.id, count(f.id) from spaces p left join fqdns f on f.space_id = p.id group by p.id`);
  },
  down: (runner) => dropTables(runner, tables),
};
