import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { type Doors, runnerOf, schemaStatements } from './doors.js';
import { openLanes } from './postgres-lanes.js';
import { inTransaction, startSession } from './runner.js';
import { type Entities, openPostgres, type PostgresAddress } from './source.js';

// any number, the same in every process of every app; locks are per database
const migrationLock = 4_716_001;

// one statement on its way to the disk while the next one is worked on
const mostLanes = 2;

/** Opens a pool of connections to a PostgreSQL server. */
export async function openPostgresDoors(
  address: PostgresAddress,
  entities: Entities,
  options: { readonly poolSize: number; readonly onIdleError: (error: Error) => void },
): Promise<Doors> {
  const source = await openPostgres(address, entities, options);
  const lanes = openLanes(address, mostLanes, options.onIdleError);
  const write: Doors['write'] = (work) => transaction(source, 'START TRANSACTION', work);
  return {
    source,
    lanes,
    write,
    read: (work) => transaction(source, 'START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
    alter: (work) =>
      write(async (tx) => {
        await tx.query('select pg_advisory_xact_lock($1)', [migrationLock]);
        return work(runnerOf(tx));
      }),
    drift: () => schemaStatements(source),
    close: () => lanes.close().then(() => source.destroy()),
  };
}

async function transaction<T>(
  source: DataSource,
  begin: string,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = source.createQueryRunner();
  const session = startSession(runner);
  try {
    return await inTransaction(
      session,
      { begin: () => session.control(begin), commit: () => commit(runner) },
      work,
    );
  } finally {
    await runner.release();
  }
}

/** PostgreSQL answers COMMIT after a failed statement by a rollback that it does not call an error. */
async function commit(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as { query(text: string): Promise<{ command: string }> };
  const { command } = await client.query('COMMIT');
  if (command === 'ROLLBACK')
    throw new Error('rolled back, since a statement had failed and its error was dropped');
}
