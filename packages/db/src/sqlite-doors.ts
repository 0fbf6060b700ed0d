import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { type Doors, runnerOf, schemaStatements } from './doors.js';
import { Mutex } from './mutex.js';
import { begun } from './retry.js';
import { inTransaction, type Session, startSession } from './runner.js';
import { SharedCommits, type SharingLimits } from './shared-commits.js';
import { createSqliteFile, type Entities, openSqlite } from './source.js';
import { type SqliteConnection, SqliteStatements } from './sqlite-statements.js';

/** What is used of TypeORM's driver. */
interface Driver {
  queryRunner: QueryRunner | undefined;
  readonly databaseConnection: SqliteConnection;
}

/** One connection, for one caller at a time. */
class Lane {
  readonly connection: SqliteConnection;
  private readonly source: DataSource;
  private readonly driver: Driver;
  private readonly mutex = new Mutex();
  private readonly statements: SqliteStatements;

  constructor(source: DataSource) {
    this.source = source;
    this.driver = source.driver as unknown as Driver;
    this.connection = this.driver.databaseConnection;
    this.statements = new SqliteStatements(this.connection);
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.mutex.run(work);
  }

  /** Work that runs no statement for `idleMs` is given up; any may take its time when absent. */
  transaction<T>(begin: string, work: (tx: EntityManager) => Promise<T>, idleMs?: number): Promise<T> {
    const session = this.newSession();
    const bounded = (tx: EntityManager) =>
      idleMs === undefined ? work(tx) : session.whileActive(idleMs, work(tx));
    return inTransaction(
      session,
      { begin: () => begun(() => session.control(begin)), commit: () => session.control('COMMIT') },
      bounded,
    );
  }

  /**
   * TypeORM's driver would hand one runner to everybody, so that overlapping transactions became savepoints of
   * each other and the rollback of one took the rows of all.
   */
  newSession(): Session {
    this.driver.queryRunner = undefined;
    const runner = this.source.createQueryRunner();
    this.driver.queryRunner = undefined;
    const { statements } = this;
    const query = (text: string, values?: readonly unknown[], isStructured?: boolean) =>
      statements.query(text, values, isStructured);
    Object.assign(runner, { query });
    return startSession(runner);
  }
}

/**
 * Opens a SQLite file, or the memory of the process. A file has a second connection for reading, as readers of
 * the write-ahead log need not wait for the writer; in memory the only connection serves both.
 */
export async function openSqliteDoors(
  file: string | undefined,
  entities: Entities,
  { idleMs = 30_000, ...limits }: Partial<SharingLimits> & { readonly idleMs?: number } = {},
): Promise<Doors> {
  if (file !== undefined) await createSqliteFile(file);
  const source = await openSqlite(file, entities, 'writer');
  const writer = new Lane(source);
  // waiting for other processes is left to `begun`
  writer.connection.pragma('busy_timeout = 0');
  const commits = new SharedCommits(writer, limits);
  const readerSource = file === undefined ? undefined : await openSqlite(file, entities, 'reader');
  const reader = readerSource === undefined ? undefined : new Lane(readerSource);
  return {
    source,
    lanes: undefined,
    write: (work) => commits.write(work),
    // a statement of SQLite has no limit
    writeLong: (work) => commits.write(work),
    read: (work) =>
      reader === undefined
        ? writer.alone(() => refusingWrites(writer, () => writer.transaction('BEGIN', work, idleMs)))
        : reader.alone(() => reader.transaction('BEGIN', work, idleMs)),
    alter: (work) => writer.alone(() => altering(writer, work)),
    drift: () => writer.alone(() => schemaStatements(source)),
    cut: () => undefined,
    close: async () => {
      await readerSource?.destroy();
      await source.destroy();
    },
  };
}

async function refusingWrites<T>({ connection }: Lane, work: () => Promise<T>): Promise<T> {
  connection.pragma('query_only = ON');
  try {
    return await work();
  } finally {
    connection.pragma('query_only = OFF');
  }
}

/** SQLite changes a table by copying it and dropping the old one, which would delete the rows that refer to it. */
async function altering<T>(lane: Lane, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
  lane.connection.pragma('foreign_keys = OFF');
  try {
    return await lane.transaction('BEGIN EXCLUSIVE', async (tx) => {
      const result = await work(runnerOf(tx));
      const broken = lane.connection.pragma('foreign_key_check') as unknown[];
      if (broken.length > 0)
        throw new Error(`the migration leaves ${broken.length} rows that refer to nothing`);
      return result;
    });
  } finally {
    lane.connection.pragma('foreign_keys = ON');
  }
}
