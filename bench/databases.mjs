// The databases that services are measured on: a file of SQLite, and a PostgreSQL that writes to the disk.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startPostgres } from '../packages/db/dist/src/testing/postgres-server.js';
import { withFolder } from './services.mjs';

const { Client } = createRequire(new URL('../packages/db/package.json', import.meta.url))('pg');

/**
 * The rows that `work` measures on each database, one after the other, with its dialect before what they measure;
 * `work` gets { dialect, url, folder }.
 */
export async function measureOnEach(dialects, work) {
  const rows = [];
  for (const dialect of ['sqlite', 'postgres'].filter((one) => dialects.includes(one))) {
    const measured = await onDatabase(dialect, work);
    rows.push(...measured.map((row) => ({ ...row, what: `${dialect}: ${row.what}` })));
  }
  return rows;
}

/** What `work` makes of a database; it gets { dialect, url, folder }. */
export function onDatabase(dialect, work) {
  return dialect === 'sqlite' ? onSqlite(work) : onPostgres(work);
}

function onSqlite(work) {
  return withFolder((folder) =>
    work({ dialect: 'sqlite', url: `sqlite:${join(folder, 'bench.sqlite')}`, folder }),
  );
}

async function onPostgres(work) {
  const server = await startPostgres('durable');
  try {
    return await withFolder((folder) => work({ dialect: 'postgres', url: server.url, folder }));
  } finally {
    await server.stop();
  }
}

/** After a bulk insert: what autovacuum of PostgreSQL does about a minute later. SQLite needs nothing. */
export async function settle({ dialect, url }) {
  if (dialect !== 'postgres') return;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
}
