import { open, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type pg from 'pg';
import { DataSource, type EntitySchema } from 'typeorm';
import { DatabaseUnavailable, driverCode, withoutValues } from './faults/failures.js';
import { fileRemedy } from './faults/file-remedy.js';
import { makeFolder } from './folder.js';
import { connectionName } from './postgres/connection-name.js';
import { loadSqlite, prepareConnection, sqliteWaitMs } from './sqlite/sqlite-binding.js';

/** Location of a database: a file, the memory of this process, or a server. */
export type Address = SqliteAddress | PostgresAddress;

interface SqliteAddress {
  readonly dialect: 'sqlite';
  /** Absolute path; undefined for the memory of the process. */
  readonly file: string | undefined;
}

export interface PostgresAddress {
  readonly dialect: 'postgres';
  readonly url: string;
  /** Host, port and database, for messages. */
  readonly shown: string;
}

/** Address of `sqlite:<file>`, `sqlite::memory:`, `postgres://…` or `postgresql://…`; throws DatabaseUnavailable. */
export function parseAddress(url: string): Address {
  if (url === 'sqlite::memory:') return { dialect: 'sqlite', file: undefined };
  if (url.startsWith('sqlite:')) return { dialect: 'sqlite', file: sqliteFile(url) };
  if (/^postgres(ql)?:\/\//.test(url)) return { dialect: 'postgres', url, shown: withoutPassword(url) };
  throw new DatabaseUnavailable(
    'the database URL must begin with sqlite: or postgres:// (such as sqlite:./data/app.sqlite)',
  );
}

function sqliteFile(url: string): string {
  const path = url.slice('sqlite:'.length).replace(/^\/\//, '');
  if (path === '') throw new DatabaseUnavailable('the database URL sqlite: names no file');
  return resolve(path);
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) throw new DatabaseUnavailable('the PostgreSQL URL is malformed');
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port === '' ? '5432' : port}${pathname}`;
}

/** Whether it is a file of SQLite that does not exist. */
export async function isAbsent(address: Address): Promise<boolean> {
  if (address.dialect !== 'sqlite' || address.file === undefined) return false;
  const missing = ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR';
  return stat(address.file).then(() => false, missing);
}

export type Entities = EntitySchema<Record<string, unknown>>[];

/** The file, created with its folder if absent, readable only by its owner. Throws DatabaseUnavailable. */
export async function createSqliteFile(file: string): Promise<void> {
  try {
    await makeFolder(dirname(file));
    // the mode of the file is also that of its write-ahead log
    await (await open(file, 'a', 0o600)).close();
  } catch (cause) {
    const sentence = `cannot write the database ${file}: ${reasonOf(cause)}`;
    throw new DatabaseUnavailable(`${sentence}${await remedyOf(cause, file)}`, { cause });
  }
}

/**
 * Opens SQLite: write-ahead log, a commit on disk before it is acknowledged, foreign keys enforced.
 * A `reader` opens the same file for reading only. Throws DatabaseUnavailable.
 */
export async function openSqlite(
  file: string | undefined,
  entities: Entities,
  role: 'writer' | 'reader',
): Promise<DataSource> {
  const source = new DataSource({
    type: 'better-sqlite3',
    database: file ?? ':memory:',
    entities,
    logging: false,
    timeout: sqliteWaitMs,
    readonly: role === 'reader',
    enableWAL: role === 'writer' && file !== undefined,
    driver: loadSqlite(),
    prepareDatabase: prepareConnection,
  });
  return opened(source, `the database ${file ?? ':memory:'}`, file);
}

/** Returns what to do about an error of the file, as the end of a sentence; '' where nothing is known. */
async function remedyOf(error: unknown, file: string | undefined): Promise<string> {
  const code = driverCode(error) ?? (error as NodeJS.ErrnoException).code;
  if (file === undefined) return fileRemedy(code, undefined);
  const freeBytes = await statfs(dirname(file)).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );
  return fileRemedy(code, freeBytes);
}

/** Returns what `work` returns; an error of the file of SQLite becomes DatabaseUnavailable with what to do. */
export async function explainingFile<T>(address: Address, work: () => Promise<T>): Promise<T> {
  if (address.dialect !== 'sqlite') return work();
  try {
    return await work();
  } catch (cause) {
    const remedy = driverCode(cause) === undefined ? '' : await remedyOf(cause, address.file);
    if (remedy === '') throw cause;
    const sentence = `cannot use the database ${address.file ?? ':memory:'}: ${reasonOf(cause)}`;
    throw new DatabaseUnavailable(`${sentence}${remedy}`, { cause: withoutValues(cause) });
  }
}

/** Opens a pool of connections to PostgreSQL. Throws DatabaseUnavailable. */
export async function openPostgres(
  address: PostgresAddress,
  entities: Entities,
  options: { readonly poolSize: number; readonly pool: pg.PoolConfig },
): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    url: address.url,
    entities,
    logging: false,
    poolSize: options.poolSize,
    applicationName: connectionName,
    installExtensions: false,
    // each connection reports its own error
    poolErrorHandler: () => undefined,
    extra: options.pool,
  });
  return opened(source, `the PostgreSQL at ${address.shown}`);
}

async function opened(source: DataSource, shown: string, file?: string): Promise<DataSource> {
  try {
    return await source.initialize();
  } catch (cause) {
    const remedy = file === undefined ? '' : await remedyOf(cause, file);
    throw new DatabaseUnavailable(`cannot open ${shown}: ${reasonOf(cause)}${remedy}`, { cause });
  }
}

/** Message of an error, or its code if the message is empty. */
export function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string };
  // the error for several addresses of one host has an empty message
  return message === undefined || message === '' ? (code ?? 'unknown reason') : message;
}
