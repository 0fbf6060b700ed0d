import { InvariantFailed } from '@certloop/contracts';
import type pg from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { asLost, DatabaseUnavailable, isUnwritable, withoutValues } from '../faults/failures.js';
import { type Entities, openPostgres, type PostgresAddress, reasonOf } from '../source.js';
import { underMigrationLock, whenUnlocked } from '../tables/migration-lock.js';
import { type Backend, schemaStatements } from '../transactions/backend.js';
import { inTransaction, startSession } from '../transactions/runner.js';
import { openAutocommit } from './postgres-autocommit.js';
import {
  Connections,
  type PostgresLimits,
  poolOptions,
  serverMs,
  type TracesRow,
  type WatchedClient,
} from './postgres-client.js';
import { transactionTraces } from './postgres-silence.js';

// one statement on its way to the disk while the next one is worked on
const maxAutocommitConnections = 2;

export interface PostgresOptions {
  readonly poolSize: number;
  readonly limits: PostgresLimits;
  /** Called once for each connection that ended other than by us. */
  readonly onLost: (reason: string) => void;
  /** Called while a migration cannot begin, every half minute. */
  readonly onMigrationWaits: (reason: string) => void;
}

/** Opens a pool of connections to a PostgreSQL server. */
export async function openPostgresBackend(
  address: PostgresAddress,
  entities: Entities,
  { poolSize, limits, onLost, onMigrationWaits }: PostgresOptions,
): Promise<Backend> {
  const { connectMs, answerMs } = limits;
  const connections = new Connections(onLost, { url: address.url, connectMs, answerMs });
  const pool = poolOptions(connections, limits);
  const source = await openPostgres(address, entities, { poolSize, pool });
  const autocommit = openAutocommit(address, maxAutocommitConnections, limits, pool);
  const write = { mode: '', limitMs: limits.writeMs, idleMs: limits.idleMs };
  const read = { ...write, mode: ' ISOLATION LEVEL REPEATABLE READ READ ONLY', limitMs: limits.readMs };
  const alter = { ...write, limitMs: maxMs, idleMs: maxMs };
  return {
    source,
    autocommit,
    write: (work) => transaction(source, limits, write, work),
    writeLong: (work) => transaction(source, limits, { ...write, limitMs: limits.longMs }, work),
    read: (work) => transaction(source, limits, read, work),
    readLong: (work) => transaction(source, limits, read, work),
    alter: (work) =>
      whenUnlocked(
        () => transaction(source, limits, alter, (tx) => underMigrationLock(tx, limits.lockMs, work)),
        onMigrationWaits,
      ),
    runOutsideTransaction: (statement) => runOutsideTransaction(source, limits, statement),
    drift: () => schemaStatements(source),
    cut: (why) => connections.cutAll(why),
    close: async () => {
      const ended = Promise.all([autocommit.close(), source.destroy()]);
      connections.cutBusy('the database is closed');
      await ended;
    },
  };
}

// a day: a statement of a migration may take its time
const maxMs = 86_400_000;

const attempts = 3;

interface Kind {
  /** Text after START TRANSACTION. */
  readonly mode: string;
  /** How long each statement may take. */
  readonly limitMs: number;
  readonly idleMs: number;
}

/** A connection that is lost before the transaction has begun is replaced by another one. */
async function transaction<T>(
  source: DataSource,
  limits: PostgresLimits,
  kind: Kind,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const runner = source.createQueryRunner();
    const client = await connect(runner);
    const session = startSession(runner);
    let isBegun = false;
    const begin = async () => {
      client.limitMs = limits.answerMs;
      await beginOn(client, kind);
      client.limitMs = kind.limitMs;
      isBegun = true;
    };
    const rollback = () => {
      client.limitMs = limits.answerMs;
      return session.control('ROLLBACK');
    };
    const bounded = (tx: EntityManager) => session.whileActive(kind.idleMs, work(tx));
    try {
      return await inTransaction(session, { begin, commit: () => commit(client), rollback }, bounded);
    } catch (error) {
      if (kind.mode === '' && isUnwritable(error)) client.cut('it leads to a server that cannot be written');
      if (!isBegun && client.lost !== undefined && attempt < attempts) continue;
      throw client.lost === undefined ? error : asLost(error, client.lost);
    } finally {
      client.limitMs = limits.writeMs;
      await runner.release();
    }
  }
}

async function beginOn(client: WatchedClient, kind: Kind): Promise<void> {
  if (!client.isPooled) {
    await client.query(beginning(kind));
    return;
  }
  // behind a pooler, each transaction may be in another session
  const results: unknown = await client.query(`${beginning(kind)}; ${transactionTraces}`);
  client.noteTransaction((results as readonly pg.QueryResult<TracesRow>[]).at(-1)?.rows[0]);
}

/** No request waits for it, so it may take a day. */
async function runOutsideTransaction(
  source: DataSource,
  limits: PostgresLimits,
  statement: string,
): Promise<void> {
  const runner = source.createQueryRunner();
  const client = await connect(runner);
  try {
    client.limitMs = maxMs;
    await runner.query(statement);
  } catch (error) {
    throw client.lost === undefined ? withoutValues(error) : asLost(error, client.lost);
  } finally {
    client.limitMs = limits.writeMs;
    await runner.release();
  }
}

function beginning({ mode, limitMs, idleMs }: Kind): string {
  // by the transaction and not at the start of the session, as a connection pooler may stand between
  return `START TRANSACTION${mode}; SET LOCAL statement_timeout = ${serverMs(limitMs)};
    SET LOCAL idle_in_transaction_session_timeout = ${idleMs + 1000}`;
}

async function connect(runner: QueryRunner): Promise<WatchedClient> {
  try {
    return (await runner.connect()) as WatchedClient;
  } catch (cause) {
    throw new DatabaseUnavailable(`cannot connect to the database: ${reasonOf(cause)}`, { cause });
  }
}

/** PostgreSQL answers COMMIT after a failed statement by a rollback that it does not call an error. */
async function commit(client: WatchedClient): Promise<void> {
  const { command } = await client.query('COMMIT');
  if (command === 'ROLLBACK')
    throw new InvariantFailed('rolled back, since a statement had failed and its error was dropped');
}
