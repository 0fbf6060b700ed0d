import { afterAll, beforeEach, describe } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase, type Schema } from './database.js';
import type { DialectName } from './dialect.js';
import { usualLimits } from './postgres/postgres-client.js';
import {
  createPostgresDatabase,
  dropPostgresDatabase,
  isServerGiven,
  serverUrl,
} from './testing/postgres-databases.js';
import { startPostgres } from './testing/postgres-server.js';
import { createSqliteTestFile, dropSqliteFile } from './testing/sqlite-databases.js';

export { clockRowsOf, columnsOfType } from './testing/clock-page.js';
export { fillDiskOf } from './testing/full-disk.js';
export { type Bouncer, hasPgBouncer, startPgBouncer } from './testing/pgbouncer.js';
export { startBackedUpServer } from './testing/postgres-base-backup.js';
export {
  type ControlledServer,
  createDatabase,
  type PostgresPair,
  startPostgresPair,
} from './testing/postgres-pair.js';
export { startPostgres } from './testing/postgres-server.js';
export { type ServerOnSmallDisk, startOnSmallDisk } from './testing/postgres-small-disk.js';
export { openRelay, type Relay } from './testing/relay.js';
export { mountSmallDisk, type SmallDisk } from './testing/small-disk.js';
export { correctedMoments, standAlone, wrongClocks } from './testing/wrong-clocks.js';

export interface TestAddress {
  readonly url: string;
  drop(): Promise<void>;
}

export interface TestDatabase extends TestAddress {
  readonly database: Database;
}

/** The databases that this run tests on; PostgreSQL is omitted only by CERTLOOP_TEST_SQLITE_ONLY=1. */
export function testDialects(): readonly DialectName[] {
  return serverUrl() === undefined ? ['sqlite'] : ['sqlite', 'postgres'];
}

/** Describes what only PostgreSQL can show; skipped where CERTLOOP_TEST_SQLITE_ONLY=1 leaves it out. */
export function describeOnPostgres(name: string, suite: () => void): void {
  const describeIf = testDialects().includes('postgres') ? describe : describe.skip;
  describeIf(name, suite);
}

/** URL of a new database for processes that open it themselves: empty, or with the schema in place. */
export async function testDatabaseUrl(dialect: DialectName, schema?: Schema): Promise<TestAddress> {
  return openAddress(dialect, schema);
}

/** Ten times the usual limits, which a machine under load exceeds: a test that needs one sets it. */
const patient = {
  limits: {
    connectMs: 10 * usualLimits.connectMs,
    answerMs: 10 * usualLimits.answerMs,
    laneMs: 10 * usualLimits.laneMs,
    readMs: 10 * usualLimits.readMs,
    writeMs: 10 * usualLimits.writeMs,
    idleMs: 10 * usualLimits.idleMs,
  },
  transactionMs: 300_000,
} satisfies Partial<DatabaseOptions>;

/** A new database with the schema in place; `drop` closes and removes it. */
export async function createTestDatabase(dialect: DialectName, schema: Schema): Promise<TestDatabase> {
  const address = await openAddress(dialect, schema);
  const database = await openDatabase({ ...patient, url: address.url, schema });
  await database.migrate();
  return {
    database,
    url: address.url,
    drop: async () => {
      await database.close();
      await address.drop();
    },
  };
}

/**
 * The same on a server that has no other databases: until a transaction ends, PostgreSQL keeps the rows that were
 * overwritten in the meantime, also those of other databases of its server. The server at TEST_DATABASE_URL is taken as it is.
 */
export async function createLoneDatabase(dialect: DialectName, schema: Schema): Promise<TestDatabase> {
  if (dialect === 'sqlite' || isServerGiven()) return createTestDatabase(dialect, schema);
  const { url, stop } = await startPostgres();
  const database = await openDatabase({ ...patient, url, schema });
  await database.migrate();
  const drop = () => database.close().then(stop);
  return { database, url, drop };
}

/**
 * Makes a new database with the schema in place. It is dropped automatically: after the suite when opened in
 * `beforeAll`, before the next test when opened in `beforeEach` or in a test.
 */
export type OpenTestDatabase = (schema: Schema) => Promise<TestDatabase>;

/**
 * Describes `<name> on <dialect>` for each database of this run:
 * `describeEachDialect('spaces', (open) => { beforeAll(async () => { ({ database } = await open(schema)); }); … })`.
 */
export function describeEachDialect(
  name: string,
  suite: (open: OpenTestDatabase, dialect: DialectName) => void,
): void {
  describe.each(testDialects())(`${name} on %s`, (dialect) => {
    const ofSuite: TestDatabase[] = [];
    const ofTest: TestDatabase[] = [];
    let open = ofSuite;
    // before the next test, as the suite's own afterEach may still need them
    beforeEach(() => {
      open = ofTest;
      return dropAll(ofTest);
    });
    afterAll(() => dropAll([...ofTest, ...ofSuite]));
    suite(async (schema) => {
      const made = await createTestDatabase(dialect, schema);
      open.push(made);
      return made;
    }, dialect);
  });
}

async function dropAll(databases: TestDatabase[]): Promise<void> {
  for (const { drop } of databases.splice(0)) await drop();
}

async function openAddress(dialect: DialectName, schema: Schema | undefined): Promise<TestAddress> {
  if (dialect === 'sqlite') {
    const file = await createSqliteTestFile(schema);
    return { url: `sqlite:${file}`, drop: () => dropSqliteFile(file) };
  }
  const url = await createPostgresDatabase(schema);
  return { url, drop: () => dropPostgresDatabase(url) };
}
