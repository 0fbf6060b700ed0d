import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const indexes = [{ columns: ['providerId', 'notBefore', 'id'] }];

/** The last certificate of a provider is found by an index. */
export const indexStandingsByProvider: Migration = {
  name: '0032-standings-by-provider',
  up: (runner) => addIndexes(runner, 'fqdn_standings', indexes),
  down: (runner) => dropIndexes(runner, 'fqdn_standings', indexes),
};
