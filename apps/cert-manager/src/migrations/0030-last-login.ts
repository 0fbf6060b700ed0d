import type { Migration } from '@certloop/db';

/** When each user signed in last. */
export const addLastLogin: Migration = {
  name: '0030-last-login',
  up: async (runner, dialect) => {
    // by plain SQL: TypeORM would copy the whole table on SQLite
    await runner.query(`alter table users add column last_login_at ${dialect.types.instant}`);
  },
  down: async (runner) => {
    await runner.query('alter table users drop column last_login_at');
  },
};
