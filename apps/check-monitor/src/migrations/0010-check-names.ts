import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const byName = [{ columns: ['projectId', 'name'] }];

/** Checks are made and updated by their name, and the other checks of the project need not be read for that. */
export const indexCheckNames: Migration = {
  name: '0010-check-names',
  up: (runner) => addIndexes(runner, 'checks', byName),
  down: (runner) => dropIndexes(runner, 'checks', byName),
};
