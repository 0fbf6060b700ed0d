import type { Logger } from '../observability/logger.js';
import { StartFailed } from './listen.js';

/** Part of a database that knows its migrations. */
export interface Migratable {
  /** Runs what is pending and returns the names. */
  migrate(): Promise<string[]>;
  pendingMigrations(): Promise<string[]>;
}

export interface SchemaAtStart {
  /** Name of the service, whose command line has the command `migrate`. */
  readonly service: string;
  /** False where migrations are a step of their own, such as when the service may not alter tables. */
  readonly migratesAtStart: boolean;
  readonly logger: Logger;
}

/**
 * Brings the schema up to date and returns the migrations run. Where that is not the service's to do, throws
 * StartFailed that names what is pending.
 */
export async function bringUpToDate(
  database: Migratable,
  { service, migratesAtStart, logger }: SchemaAtStart,
): Promise<string[]> {
  if (!migratesAtStart) return requireUpToDate(database, service);
  const names = await database.migrate();
  if (names.length > 0) logger.info({ names }, 'database.migrated');
  return names;
}

async function requireUpToDate(database: Migratable, service: string): Promise<string[]> {
  const pending = await database.pendingMigrations();
  if (pending.length === 0) return [];
  throw new StartFailed(
    `the database has migrations to run (${pending.join(', ')}): "${service} migrate" runs them`,
  );
}
