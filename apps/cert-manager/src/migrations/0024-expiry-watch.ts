import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const waiting = [{ name: 'ix_watched_fqdns_waiting', columns: ['waiting'], where: 'waiting is not null' }];

/** Expiries that people accept, and checks that wait for room in the monitor. */
export const addExpiryWatch: Migration = {
  name: '0024-expiry-watch',
  up: async (runner, dialect) => {
    // by plain SQL: TypeORM would copy the whole table on SQLite
    await runner.query(`alter table fqdns add column expiry_accepted_until ${dialect.types.instant}`);
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    await runner.query(`alter table watched_fqdns add column waiting varchar(8)${collation}`);
    await addIndexes(runner, 'watched_fqdns', waiting);
  },
  down: async (runner) => {
    await dropIndexes(runner, 'watched_fqdns', waiting);
    await runner.query('alter table watched_fqdns drop column waiting');
    await runner.query('alter table fqdns drop column expiry_accepted_until');
  },
};
