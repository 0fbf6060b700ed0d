import type { Migration } from '@certloop/db';

/** How fast the CA of each provider takes orders, once it has refused one for its rate limit. */
export const addProviderPace: Migration = {
  name: '0040-provider-pace',
  up: async (runner, dialect) => {
    // by plain SQL: TypeORM would copy the whole table on SQLite
    await runner.query(`alter table providers add column pace ${dialect.types.json}`);
  },
  down: async (runner) => {
    await runner.query('alter table providers drop column pace');
  },
};
