import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const indexes = [{ columns: ['spaceId', 'createdAt', 'id'] }];

/** The requests of a space are listed by an index. */
export const indexJobsBySpace: Migration = {
  name: '0028-jobs-by-space',
  up: (runner) => addIndexes(runner, 'issuance_jobs', indexes),
  down: (runner) => dropIndexes(runner, 'issuance_jobs', indexes),
};
