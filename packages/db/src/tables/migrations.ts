import { randomUUID } from 'node:crypto';
import type { EntityManager, QueryRunner } from 'typeorm';
import type { Dialect } from '../dialect.js';
import { DatabaseUnavailable } from '../faults/failures.js';
import type { Backend } from '../transactions/backend.js';

/** One step of a schema, the same for both databases. Frozen once merged: it names its tables by its own words. */
export interface Migration {
  /** Name of its file, such as `0001-initial`; the order is that of the list, not of the names. */
  readonly name: string;
  up(runner: QueryRunner, dialect: Dialect): Promise<void>;
  down(runner: QueryRunner, dialect: Dialect): Promise<void>;
}

const bookkeeping = `create table if not exists "migrations" (
  "name" varchar(255) primary key not null, "ran_at" varchar(24) not null)`;

/**
 * Runs what is pending, all or nothing, while other processes wait; returns the names run.
 * Throws DatabaseUnavailable when the database has seen migrations of a later version, or is another service's.
 */
export function runMigrations(
  backend: Backend,
  dialect: Dialect,
  migrations: readonly Migration[],
): Promise<string[]> {
  return backend.alter(async (runner) => {
    await runner.query(bookkeeping);
    const pending = missing(migrations, await namesRun(runner));
    for (const migration of pending) {
      await migration.up(runner, dialect);
      await runner.query(insertion(dialect), [migration.name, new Date().toISOString()]);
    }
    return pending.map(({ name }) => name);
  });
}

/** Names of the migrations not run yet. Throws DatabaseUnavailable as `runMigrations` does. */
export async function pendingMigrations(
  backend: Backend,
  migrations: readonly Migration[],
): Promise<string[]> {
  return missing(migrations, await namesOf(backend)).map(({ name }) => name);
}

/** As `pendingMigrations`, for a process that runs on while a later version migrates its database. */
export async function pendingWhileRunning(
  backend: Backend,
  migrations: readonly Migration[],
): Promise<string[]> {
  const ran = await namesOf(backend);
  return migrations.map(({ name }) => name).filter((name) => !ran.has(name));
}

function namesOf(backend: Backend): Promise<Set<string>> {
  return backend.read(async (tx) => {
    const runner = tx.queryRunner;
    const isNew = runner === undefined || !(await runner.hasTable('migrations'));
    return isNew ? new Set() : namesRun(runner);
  });
}

/** Takes the latest migration back; returns its name, or undefined when none has run. */
export function revertLast(
  backend: Backend,
  dialect: Dialect,
  migrations: readonly Migration[],
): Promise<string | undefined> {
  return backend.alter(async (runner) => {
    const ran = (await runner.hasTable('migrations')) ? await namesRun(runner) : new Set<string>();
    const last = migrations.findLast(({ name }) => ran.has(name));
    if (last === undefined) return undefined;
    await last.down(runner, dialect);
    await runner.query(deletion(dialect), [last.name]);
    return last.name;
  });
}

/** Writes a row and deletes it in the same transaction; in a file of ours it needs several pages of its own. */
export async function tryToWrite(tx: EntityManager, dialect: Dialect): Promise<void> {
  const name = `try ${randomUUID()}`;
  const filling = dialect.capabilities.isEmbedded ? ' '.repeat(16_384) : '';
  await tx.query(insertion(dialect), [name, filling]);
  await tx.query(deletion(dialect), [name]);
}

function missing(migrations: readonly Migration[], ran: ReadonlySet<string>): Migration[] {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...ran].filter((name) => !known.has(name));
  if (unknown.length > 0 && unknown.length === ran.size)
    throw new DatabaseUnavailable(
      `the database is another service's: its migrations begin with ${unknown[0]}`,
    );
  if (unknown.length > 0) {
    throw new DatabaseUnavailable(`the database is of a later version: it has ${unknown.join(', ')}`);
  }
  return migrations.filter(({ name }) => !ran.has(name));
}

async function namesRun(runner: QueryRunner): Promise<Set<string>> {
  const rows = (await runner.query('select "name" from "migrations"')) as { name: string }[];
  return new Set(rows.map(({ name }) => name));
}

function insertion({ name }: Dialect): string {
  return `insert into "migrations" ("name", "ran_at") values ${name === 'sqlite' ? '(?, ?)' : '($1, $2)'}`;
}

function deletion({ name }: Dialect): string {
  return `delete from "migrations" where "name" = ${name === 'sqlite' ? '?' : '$1'}`;
}
