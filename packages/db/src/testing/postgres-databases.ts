import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase, type Schema } from '../database.js';
import { stepsOf } from './schema-steps.js';

/** URL of the PostgreSQL of this run; undefined when it was left out. Throws outside of a run. */
export function serverUrl(): string | undefined {
  if (process.env['CERTLOOP_TEST_RUN'] === undefined) {
    throw new Error('vitest.config.mjs does not name this package among those that use a database');
  }
  return process.env['CERTLOOP_TEST_POSTGRES'];
}

/** Whether the run takes a server that others may use. */
export function isServerGiven(): boolean {
  return (process.env['TEST_DATABASE_URL'] ?? '') !== '';
}

/** Throws when the server at TEST_DATABASE_URL does not answer. */
export async function requireServer(): Promise<void> {
  try {
    await onServer((client) => client.query('select 1'));
  } catch (cause) {
    throw new Error(`no PostgreSQL answers at TEST_DATABASE_URL: ${(cause as Error).message}`, { cause });
  }
}

/** URL of a new database, empty or a copy of the one that `schema` was migrated in. */
export async function createPostgresDatabase(schema: Schema | undefined): Promise<string> {
  const name = `${prefix()}_${randomBytes(5).toString('hex')}`;
  const template = schema === undefined ? 'template0' : await templateOf(schema);
  // file by file takes half of the time that page by page does; a server that is given may not know the word
  const strategy = isServerGiven() ? '' : 'strategy file_copy';
  await onServer((client) => client.query(`create database ${name} template ${template} ${strategy}`));
  return urlOf(name);
}

export async function dropPostgresDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await onServer((client) => client.query(`drop database if exists ${name} with (force)`));
}

/** Drops every database that this run made. */
export async function dropDatabasesOfRun(): Promise<void> {
  const { rows } = await onServer((client) =>
    client.query<{ datname: string }>('select datname from pg_database where datname like $1', [
      `${prefix()}%`,
    ]),
  );
  for (const { datname } of rows) await dropPostgresDatabase(urlOf(datname));
}

const templates = new Map<string, Promise<string>>();

/** Name of the database that `schema` has been migrated in. */
function templateOf(schema: Schema): Promise<string> {
  const name = `${prefix()}_template_${stepsOf(schema)}`;
  const template = templates.get(name) ?? makeTemplate(name, schema);
  templates.set(name, template);
  return template;
}

/** Migrates it once per run, whichever worker comes first. */
async function makeTemplate(name: string, schema: Schema): Promise<string> {
  await onServer(async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    try {
      const { rows } = await client.query('select 1 from pg_database where datname = $1', [name]);
      if (rows.length > 0) return;
      await client.query(`create database ${name}_new template template0`);
      await migrateAt(urlOf(`${name}_new`), schema);
      await client.query(`alter database ${name}_new rename to ${name}`);
    } finally {
      await client.query('select pg_advisory_unlock(hashtext($1))', [name]);
    }
  });
  return name;
}

async function migrateAt(url: string, schema: Schema): Promise<void> {
  const database = await openDatabase({ url, schema, poolSize: 1 });
  try {
    await database.migrate();
  } finally {
    await database.close();
  }
}

const servers = new Map<string, pg.Pool>();

/** Works on the maintenance database, over one connection of this process that does not hold it up at its end. */
async function onServer<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const connectionString = serverUrl() ?? '';
  const pool =
    servers.get(connectionString) ??
    new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
      // a server that ends is noticed by the next query
      .on('error', () => undefined);
  servers.set(connectionString, pool);
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

function prefix(): string {
  return `certloop_test_${process.env['CERTLOOP_TEST_RUN'] ?? ''}`;
}

function urlOf(name: string): string {
  const url = new URL(serverUrl() ?? '');
  url.pathname = `/${name}`;
  return url.href;
}
