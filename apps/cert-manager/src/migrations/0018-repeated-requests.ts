import { addColumns, addIndexes, column, dropIndexes, type Migration } from '@certloop/db';

const byRequest = [{ columns: ['requestKey'], unique: true }];

/** Finds the space that a repeated request made. */
export const addRepeatedRequests: Migration = {
  name: '0018-repeated-requests',
  up: async (runner, dialect) => {
    await addColumns(runner, dialect, 'spaces', {
      requestKey: column.word(64).nullable(),
      requestHash: column.word(64).nullable(),
    });
    await addIndexes(runner, 'spaces', byRequest);
  },
  down: async (runner) => {
    await dropIndexes(runner, 'spaces', byRequest);
    await runner.query('alter table spaces drop column request_key');
    await runner.query('alter table spaces drop column request_hash');
  },
};
