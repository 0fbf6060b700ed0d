// The databases that services are measured on: a file of SQLite, and a PostgreSQL that writes to the disk.
import { join } from 'node:path';
import { openDatabase } from '../packages/db/dist/src/index.js';
import { startPostgres } from '../packages/db/dist/src/testing/postgres-server.js';
import { withFolder } from './services.mjs';

/** What `work` makes of each database, one after the other, as one list; it gets { dialect, url, folder }. */
export async function onEachDatabase(work) {
  const onSqlite = await withFolder((folder) =>
    work({ dialect: 'sqlite', url: `sqlite:${join(folder, 'bench.sqlite')}`, folder }),
  );
  const server = await startPostgres('durable');
  try {
    const onPostgres = await withFolder((folder) => work({ dialect: 'postgres', url: server.url, folder }));
    return [...onSqlite, ...onPostgres];
  } finally {
    await server.stop();
  }
}

/** Runs statements in a database beside the service that it belongs to; `schema` is the service's. */
export async function runSql(url, schema, statements) {
  const database = await openDatabase({ url, schema, poolSize: 1 });
  try {
    await database.transaction(async (tx) => {
      for (const statement of statements) await tx.query(statement);
    });
  } finally {
    await database.close();
  }
}
