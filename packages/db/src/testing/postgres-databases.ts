import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase, type Schema } from '../database.js';
import { stepsOf } from './schema-steps.js';

/** URL of the PostgreSQL of this run; undefined when it was left out. Throws outside of a run. */
export function serverUrl(): string | undefined {
  if (process.env['CERTLOOP_TEST_RUN'] === undefined) {
    throw new Error("jest.config.mjs lacks globalSetup: '@certloop/db/testing/setup'");
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

/** Name of the database that `schema` has been migrated in, once per run whichever worker comes first. */
async function templateOf(schema: Schema): Promise<string> {
  const name = `${prefix()}_template_${stepsOf(schema)}`;
  await onServer(async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rows.length > 0) return;
    await client.query(`create database ${name}_new template template0`);
    await migrateAt(urlOf(`${name}_new`), schema);
    await client.query(`alter database ${name}_new rename to ${name}`);
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

async function onServer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
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
