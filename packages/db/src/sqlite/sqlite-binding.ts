import { createRequire } from 'node:module';
import type { SqliteConnection } from './sqlite-statements.js';

/** The class of connections that the SQLite binding has. */
export type SqliteBinding = new (
  file: string,
  options: { readonly readonly: boolean; readonly timeout: number },
) => SqliteConnection;

/** How long SQLite itself waits for a lock of another process, in milliseconds. */
export const sqliteWaitMs = 5000;

/**
 * The SQLite binding for this Node. Version 12 is the last that runs on Node 20, and aborts on Node 24.19 and
 * later (nodejs/node#65446); version 13 needs Node 22, and its N-API binding works on all from there.
 */
export function loadSqlite(): SqliteBinding {
  const major = Number(process.versions.node.split('.')[0]);
  // from this package, whose dependencies they are, even where this module is part of a bundle
  const home = createRequire(import.meta.url).resolve('@certloop/db/package.json');
  return createRequire(home)(major < 22 ? 'better-sqlite3' : 'better-sqlite3-napi');
}

/** Sets what every connection to SQLite has; a commit is on disk before it is acknowledged. */
export function prepareConnection(connection: { pragma(text: string): unknown }): void {
  connection.pragma('synchronous = FULL');
  // 32 MB of log before it is carried over into the file, and as much memory for pages: those that many commits
  // touch, such as the ends of indexes, are then carried over once and not read again
  connection.pragma('wal_autocheckpoint = 8000');
  connection.pragma('cache_size = -32000');
  // a log that grew while a long read ran is cut when it starts again; 64 MB are more than it usually needs
  connection.pragma('journal_size_limit = 67108864');
}
