import type { EntityManager, EntitySchema } from 'typeorm';
import { type Dialect, dialects } from './dialect.js';
import { asUnavailable, DatabaseMissing, DatabaseUnavailable } from './faults/failures.js';
import { createFaultProbes, type FaultProbes } from './faults/fault-probes.js';
import { WriteFaults } from './faults/write-faults.js';
import type { Autocommit } from './postgres/postgres-autocommit.js';
import { openPostgresBackend } from './postgres/postgres-backend.js';
import { type PostgresLimits, usualLimits } from './postgres/postgres-client.js';
import { type Address, explainingFile, isAbsent, parseAddress } from './source.js';
import { openSqliteBackend } from './sqlite/sqlite-backend.js';
import {
  type Migration,
  pendingMigrations,
  pendingWhileRunning,
  revertLast,
  runMigrations,
  tryToWrite,
} from './tables/migrations.js';
import { withFollowers } from './transactions/after-commit.js';
import type { Backend } from './transactions/backend.js';
import { Passage } from './transactions/passage.js';
import { withRetries } from './transactions/retry.js';

/** An open transaction, which repositories get. It is valid until the work that got it ends. */
export type Tx = EntityManager;

/** The tables of an app, and the migrations that create them. */
export interface Schema {
  readonly entities: (dialect: Dialect) => EntitySchema<Record<string, unknown>>[];
  readonly migrations: readonly Migration[];
}

/** A condition that operators may want to know, although no call failed. */
export interface DatabaseWarning {
  readonly name:
    | 'database.connection_lost'
    | 'database.migration_waits'
    | 'database.transaction_retried'
    | 'database.unavailable';
  readonly detail: { readonly reason: string };
}

export interface DatabaseOptions {
  /** `sqlite:<file>`, `sqlite::memory:`, `postgres://…` or `postgresql://…`. */
  readonly url: string;
  readonly schema: Schema;
  /** Connections to PostgreSQL at most; 10 when absent. */
  readonly poolSize?: number;
  /** Limits of PostgreSQL that are not as usual. */
  readonly limits?: Partial<PostgresLimits>;
  /** Whether a database without the tables of the schema is refused, and no file created; false when absent. */
  readonly mustExist?: boolean;
  /** How long one transaction may take on SQLite, in milliseconds; half a minute when absent. */
  readonly transactionMs?: number;
  readonly onWarning?: (warning: DatabaseWarning) => void;
}

/**
 * A database with two entries, for reading and for writing, which cannot be nested: use the open transaction, or start
 * the next one after it. A nested call throws at once, since it would wait for itself.
 */
export interface Database extends FaultProbes {
  readonly dialect: Dialect;
  /** Its file, or host, port and name, for messages; without a password. */
  readonly shown: string;
  /**
   * Returns what `work` returns, once it is on disk; nothing of it stays when it throws. The work is run again when the
   * database asks for that (busy, deadlock), so it must do nothing except use `tx`. On SQLite writers take turns; on
   * PostgreSQL (read committed) two of them compete by guarded updates and unique indexes.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * As `transaction`, for the change of very many rows at once: a statement may take an hour. On SQLite it runs on a
   * separate thread: readers continue, writers wait for its end.
   */
  longTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Returns what `work` returns, which sees one moment of the database, only what is committed; writing is refused. A read
   * that a deadlock with a migration ends is run again.
   */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * As `read`, for statements that read many rows. On SQLite they run on one of two threads, so that only other long
   * reads wait for them. The rows of a statement arrive all at once: read at most a thousand by one statement.
   */
  longRead<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs a statement that no transaction may hold, such as `create index concurrently`, however long it takes. */
  runOutsideTransaction(statement: string): Promise<void>;
  /** For the most frequent statements on PostgreSQL; undefined on SQLite, which needs no round trip to a server. */
  readonly autocommit: Autocommit | undefined;
  /** Runs the pending migrations, all or nothing, and returns their names; processes may do so at once. */
  migrate(): Promise<string[]>;
  pendingMigrations(): Promise<string[]>;
  /** Reverts the latest migration. */
  revertLast(): Promise<void>;
  /** Statements that would bring the schema in line with the entities; none when migrations and entities agree. */
  schemaDrift(): Promise<string[]>;
  /** Fails statements that still run after `ms`, so that a process can stop while its database is silent. */
  giveUpAfter(ms: number): void;
  /** Rejects further work, waits for running work, and closes; after 10 s it closes in any case. */
  close(): Promise<void>;
}

/**
 * Opens the database without migrating it; makes the file of SQLite and its folder, unless it must exist.
 * Throws DatabaseUnavailable for a URL it cannot read, a folder it cannot write or a server it cannot reach, and
 * DatabaseMissing if it must exist and does not.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const address = parseAddress(options.url);
  // in memory every database is new
  const mustExist = options.mustExist === true && shownOf(address) !== inMemory;
  if (mustExist && (await isAbsent(address)))
    throw new DatabaseMissing(`the database ${shownOf(address)} does not exist`);
  const database = await openAddress(address, options);
  if (!mustExist) return database;
  try {
    await requireTables(database, options.schema);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function requireTables(database: Database, { migrations }: Schema): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length === migrations.length)
    throw new DatabaseMissing(`the database ${database.shown} has no tables`);
}

const inMemory = ':memory:';

function shownOf(address: Address): string {
  return address.dialect === 'sqlite' ? (address.file ?? inMemory) : address.shown;
}

async function openAddress(address: Address, options: DatabaseOptions): Promise<Database> {
  const warn = options.onWarning ?? (() => undefined);
  const dialect = dialects[address.dialect];
  const entities = options.schema.entities(dialect);
  const backend =
    address.dialect === 'sqlite'
      ? await openSqliteBackend(address.file, entities, limitsOf(options))
      : await openPostgresBackend(address, entities, {
          poolSize: options.poolSize ?? 10,
          limits: { ...usualLimits, ...options.limits },
          onLost: (reason) => warn({ name: 'database.connection_lost', detail: { reason } }),
          onMigrationWaits: (reason) => warn({ name: 'database.migration_waits', detail: { reason } }),
        });
  const named = { dialect, shown: shownOf(address) };
  const database = behind(backend, named, options.schema.migrations, warn);
  // a start begins with these
  return {
    ...database,
    migrate: () => explainingFile(address, database.migrate),
    pendingMigrations: () => explainingFile(address, database.pendingMigrations),
  };
}

function limitsOf({ transactionMs }: DatabaseOptions): {
  readonly workMs?: number;
  readonly idleMs?: number;
} {
  return transactionMs === undefined ? {} : { workMs: transactionMs, idleMs: transactionMs };
}

function behind(
  backend: Backend,
  { dialect, shown }: Pick<Database, 'dialect' | 'shown'>,
  migrations: readonly Migration[],
  warn: (warning: DatabaseWarning) => void,
): Database {
  const pass = new Passage();
  const { autocommit } = backend;
  const onRetry = (reason: string) => warn({ name: 'database.transaction_retried', detail: { reason } });
  const warnUnavailable = atMostEvery(1000, (reason: string) =>
    warn({ name: 'database.unavailable', detail: { reason } }),
  );
  const through = async <T>(access: 'read' | 'write', work: () => Promise<T>): Promise<T> => {
    try {
      const result = await pass.through(work);
      if (access === 'write') faults.noteSuccess();
      return result;
    } catch (error) {
      const shown = asUnavailable(error, access);
      if (shown instanceof DatabaseUnavailable) {
        warnUnavailable(shown.message);
        if (access === 'write') faults.noteFailure(shown);
      }
      throw shown;
    }
  };
  const writing =
    (write: Database['transaction']): Database['transaction'] =>
    (work) =>
      withFollowers((followed) => through('write', () => withRetries(() => write(followed), onRetry)), work);
  const transaction = writing(backend.write);
  const faults = new WriteFaults(() => transaction((tx) => tryToWrite(tx, dialect)));
  const read = <T>(work: (tx: Tx) => Promise<T>) =>
    through('read', () => withRetries(() => backend.read(work), onRetry));
  const pending = () => through('read', () => pendingWhileRunning(backend, migrations));
  const ask = () => read((tx) => tx.query('select 1'));
  return {
    dialect,
    shown,
    transaction,
    longTransaction: writing(backend.writeLong),
    read,
    longRead: (work) => through('read', () => backend.readLong(work)),
    runOutsideTransaction: (statement) => through('write', () => backend.runOutsideTransaction(statement)),
    autocommit: autocommit && {
      run: (statement, values) =>
        through('write', () => withRetries(() => autocommit.run(statement, values), onRetry)),
    },
    migrate: () => pass.through(() => runMigrations(backend, dialect, migrations)),
    pendingMigrations: () => through('read', () => pendingMigrations(backend, migrations)),
    revertLast: async () => void (await pass.through(() => revertLast(backend, dialect, migrations))),
    schemaDrift: () => pass.through(() => backend.drift()),
    ...createFaultProbes({
      ask,
      pending,
      writeFault: (patienceMs) => faults.current(patienceMs),
      hasFailedWrite: () => faults.hasFailed(),
    }),
    giveUpAfter: (ms) => void setTimeout(() => backend.cut('the service stops'), ms).unref(),
    close: () => pass.close(() => backend.close()),
  };
}

/** Calls `act` at most once in `ms`; what comes between is dropped. */
function atMostEvery<T>(ms: number, act: (value: T) => void): (value: T) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (value) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    act(value);
  };
}
