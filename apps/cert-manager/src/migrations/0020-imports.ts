import type { Migration } from '@certloop/db';

/** Certificates that were imported. */
export const addImports: Migration = {
  name: '0020-imports',
  up: async (runner, dialect) => {
    // by plain SQL: TypeORM would copy the whole table on SQLite
    await runner.query(`alter table certificates add column imported_at ${dialect.types.instant}`);
  },
  down: async (runner) => {
    await runner.query('alter table certificates drop column imported_at');
  },
};
