import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { createSqliteFile, type Entities, openSqlite } from '../source.js';
import { type Backend, runnerOf, schemaStatements } from '../transactions/backend.js';
import type { FileHold } from '../transactions/retry.js';
import { SharedCommits, type SharingLimits } from '../transactions/shared-commits.js';
import { pickIdlestConnection, SerialConnection } from './serial-connection.js';
import { type SqliteConnection, SqliteStatements } from './sqlite-statements.js';
import { SqliteThread } from './sqlite-thread.js';

type SqliteLimits = Partial<SharingLimits> & {
  /** How long a reader, or the writer of very many rows, may run no statement. */
  readonly idleMs?: number;
};

const usualIdleMs = 30_000;

/**
 * Opens a SQLite file, or the memory of the process. A file has a second connection for reading, as readers of
 * the write-ahead log need not wait for the writer; in memory the only connection serves both.
 */
export async function openSqliteBackend(
  file: string | undefined,
  entities: Entities,
  limits: SqliteLimits = {},
): Promise<Backend> {
  if (file !== undefined) await createSqliteFile(file);
  const source = await openSqlite(file, entities, 'writer');
  const connection = connectionOf(source);
  // waiting for other processes is left to `begun`
  connection.pragma('busy_timeout = 0');
  const writer = new SerialConnection(source, new SqliteStatements(connection));
  const hold: FileHold = { since: undefined };
  const commits = new SharedCommits(writer, limits, hold);
  const backend = {
    source,
    autocommit: undefined,
    write: commits.write.bind(commits),
    alter: <T>(work: (runner: QueryRunner) => Promise<T>) =>
      writer.alone(() => altering(writer, connection, work)),
    runOutsideTransaction: (statement: string) =>
      writer.alone(async () => connection.prepare(statement).run()).then(() => undefined),
    drift: () => writer.alone(() => schemaStatements(source)),
    cut: () => undefined,
  };
  return file === undefined
    ? { ...backend, ...inMemory(source, writer, commits, limits) }
    : { ...backend, ...(await inFile(file, entities, { source, writer, hold }, limits)) };
}

type TransactionMethods = Pick<Backend, 'read' | 'readLong' | 'writeLong' | 'close'>;

function inMemory(
  source: DataSource,
  writer: SerialConnection,
  commits: SharedCommits,
  { idleMs = usualIdleMs }: SqliteLimits,
): TransactionMethods {
  const read = <T>(work: (tx: EntityManager) => Promise<T>) =>
    writer.alone(() => refusingWrites(connectionOf(source), () => writer.transaction('BEGIN', work, idleMs)));
  return { read, readLong: read, writeLong: (work) => commits.write(work), close: () => source.destroy() };
}

interface Writing {
  readonly source: DataSource;
  readonly writer: SerialConnection;
  readonly hold: FileHold;
}

/** Creates what takes long runs on threads: two that read, and one that writes in the writer's stead. */
async function inFile(
  file: string,
  entities: Entities,
  { source, writer, hold }: Writing,
  { idleMs = usualIdleMs, ...limits }: SqliteLimits,
): Promise<TransactionMethods> {
  const readerSource = await openSqlite(file, entities, 'reader');
  const reader = new SerialConnection(readerSource, new SqliteStatements(connectionOf(readerSource)));
  const threads = [0, 1].map(() => new SqliteThread({ file, role: 'reader' }));
  const readers = threads.map((thread) => new SerialConnection(readerSource, thread)) as [
    SerialConnection,
    SerialConnection,
  ];
  const writingThread = new SqliteThread({ file, role: 'writer' });
  const longWriter = new SerialConnection(source, writingThread);
  const reading =
    (choose: () => SerialConnection) =>
    <T>(work: (tx: EntityManager) => Promise<T>) => {
      const chosen = choose();
      return chosen.alone(() => chosen.transaction('BEGIN', work, idleMs));
    };
  return {
    read: reading(() => reader),
    readLong: reading(() => pickIdlestConnection(readers)),
    // in its turn among the writers, which therefore wait for it without asking SQLite again and again
    writeLong: (work) => {
      const waiting = { askedAt: performance.now(), hold, patienceMs: limits.patienceMs };
      return writer.alone(async () => {
        const result = await longWriter.transaction('BEGIN IMMEDIATE', work, idleMs, waiting);
        // what is committed stays so, whatever happens to the log
        await carryOver(writingThread).catch(() => undefined);
        return result;
      });
    },
    close: async () => {
      await Promise.all([...threads, writingThread].map((thread) => thread.close()));
      await readerSource.destroy();
      await source.destroy();
    },
  };
}

/**
 * Carries a large log over into the file, on the thread: the next commit would do it otherwise, on the main one. A
 * reader may hinder it; after a second it is left to the next commit.
 */
async function carryOver(thread: SqliteThread): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const { records } = await thread.answer('PRAGMA wal_checkpoint(PASSIVE)', []);
    const [{ log, checkpointed } = {}] = records;
    if (log === checkpointed) return;
    await sleep(100);
  }
}

function connectionOf(source: DataSource): SqliteConnection {
  return (source.driver as unknown as { readonly databaseConnection: SqliteConnection }).databaseConnection;
}

async function refusingWrites<T>(connection: SqliteConnection, work: () => Promise<T>): Promise<T> {
  connection.pragma('query_only = ON');
  try {
    return await work();
  } finally {
    connection.pragma('query_only = OFF');
  }
}

/** SQLite changes a table by copying it and dropping the old one, which would delete the rows that refer to it. */
async function altering<T>(
  serial: SerialConnection,
  connection: SqliteConnection,
  work: (runner: QueryRunner) => Promise<T>,
): Promise<T> {
  connection.pragma('foreign_keys = OFF');
  try {
    return await serial.transaction('BEGIN EXCLUSIVE', async (tx) => {
      const result = await work(runnerOf(tx));
      const broken = connection.pragma('foreign_key_check') as unknown[];
      if (broken.length > 0)
        throw new Error(`the migration leaves ${broken.length} rows that refer to nothing`);
      return result;
    });
  } finally {
    connection.pragma('foreign_keys = ON');
  }
}
