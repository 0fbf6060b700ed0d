import type { Migration } from '@certloop/db';

/** The page behind the links of messages finds its check by the unique key alone. */
export const indexUniqueKeys: Migration = {
  name: '0008-unique-keys',
  up: async (runner) => {
    await runner.query('create index ix_checks_unique_key on checks (unique_key)');
  },
  down: async (runner) => {
    await runner.query('drop index ix_checks_unique_key');
  },
};
