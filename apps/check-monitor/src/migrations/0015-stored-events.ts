import type { Migration } from '@certloop/db';

/** Content of a message to a program, from the first call that failed until it is settled. */
export const storeEvents: Migration = {
  name: '0015-stored-events',
  up: async (runner, dialect) => {
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    await runner.query(`alter table notifications add column event text${collation}`);
  },
  down: async (runner) => {
    await runner.query('alter table notifications drop column event');
  },
};
