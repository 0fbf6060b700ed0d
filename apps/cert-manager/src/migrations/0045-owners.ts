import type { Migration } from '@certloop/db';

/** Who is responsible for an FQDN, and its tags; `labels` has both for searches. */
export const addOwners: Migration = {
  name: '0045-owners',
  up: async (runner, dialect) => {
    const { text, json } = dialect.types;
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    // by plain SQL: TypeORM would copy the tables on SQLite
    await runner.query(`alter table fqdns add column owner ${text}${collation}`);
    await runner.query(`alter table fqdns add column tags ${json}`);
    await runner.query(`alter table fqdn_standings add column labels ${text}${collation}`);
  },
  down: async (runner) => {
    await runner.query('alter table fqdn_standings drop column labels');
    await runner.query('alter table fqdns drop column tags');
    await runner.query('alter table fqdns drop column owner');
  },
};
