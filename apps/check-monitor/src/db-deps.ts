import type { Database } from '@certloop/db';
import type { Clock } from './instants.js';

/** Database and clock of the service. */
export interface DbDeps {
  readonly db: Database;
  readonly clock: Clock;
}
