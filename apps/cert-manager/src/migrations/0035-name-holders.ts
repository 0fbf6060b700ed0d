import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const tables = [
  defineTable('name_holders', {
    columns: {
      name: column.word(253).primary(),
      parent: column.word(253),
      spaceId: column.uuid(),
      fqdnId: column.uuid(),
      since: column.instant(),
    },
    indexes: [{ columns: ['parent', 'spaceId'] }, { columns: ['fqdnId'] }],
    references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
  }),
];

// both databases cut a normal host name before its first dot by this
const parent = "substr(ltrim(f.fqdn, 'abcdefghijklmnopqrstuvwxyz0123456789-*'), 2)";

/**
 * Which space holds a name: the first one whose FQDN of that name was issued a certificate. CSRs that are there already
 * stay without a mark, which shows that their names were never compared with it.
 */
export const addNameHolders: Migration = {
  name: '0035-name-holders',
  up: async (runner, dialect) => {
    await createTables(runner, dialect, tables);
    await runner.query(`alter table csrs add column names_judged ${dialect.types.boolean}`);
    await runner.query(`insert into name_holders (name, parent, space_id, fqdn_id, since)
      select fqdn, parent, space_id, id, created_at from (
        select f.fqdn, ${parent} as parent, f.space_id, f.id, c.created_at,
          row_number() over (partition by f.fqdn order by c.created_at, c.id) as place
        from fqdns f join certificates c on c.id = (
          select i.id from certificates i where i.fqdn_id = f.id and i.imported_at is null
          order by i.position limit 1)) as issued
      where place = 1`);
  },
  down: async (runner) => {
    await runner.query('alter table csrs drop column names_judged');
    await dropTables(runner, tables);
  },
};
