import { addColumns, column, type Migration } from '@certloop/db';

/** Lets API tokens have successors. */
export const addTokenFamilies: Migration = {
  name: '0013-token-families',
  up: (runner, dialect) =>
    addColumns(runner, dialect, 'api_tokens', {
      familyId: column.word(8).nullable(),
      predecessorId: column.word(8).nullable(),
      renewableUntil: column.instant().nullable(),
      lifetimeSeconds: column.integer().nullable(),
    }),
  down: async (runner) => {
    for (const name of ['family_id', 'predecessor_id', 'renewable_until', 'lifetime_seconds']) {
      await runner.query(`alter table api_tokens drop column ${name}`);
    }
  },
};
