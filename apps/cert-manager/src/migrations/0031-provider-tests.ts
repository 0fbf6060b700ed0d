import type { Migration } from '@certloop/db';

/** How the last test of each provider ended. */
export const addProviderTests: Migration = {
  name: '0031-provider-tests',
  up: async (runner, dialect) => {
    // by plain SQL: TypeORM would copy the whole table on SQLite
    await runner.query(`alter table providers add column last_test ${dialect.types.json}`);
  },
  down: async (runner) => {
    await runner.query('alter table providers drop column last_test');
  },
};
