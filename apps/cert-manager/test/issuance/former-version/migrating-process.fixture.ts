import { text } from 'node:stream/consumers';
import { type Migration, openDatabase } from '@certloop/db';
import { schema } from '../../../src/database.js';

/** A process that migrates a database. */
export interface Migrating {
  readonly databaseUrl: string;
  /** When it kills itself: as soon as the requests are copied, or before it commits. */
  readonly deadly?: 'copied' | 'moved' | undefined;
}

async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  // nothing more happens until the signal arrives
  return new Promise(() => undefined);
}

/** The migration, for a process that dies in it. */
function dyingIn(migration: Migration, deadly: Migrating['deadly']): Migration {
  if (migration.name !== '0043-one-record' || deadly === undefined) return migration;
  return {
    ...migration,
    up: async (runner, dialect) => {
      const query = runner.query.bind(runner) as (...call: unknown[]) => Promise<unknown>;
      const dying = async (...call: unknown[]) => {
        const result = await query(...call);
        return deadly === 'copied' && String(call[0]).startsWith('insert into issuances') ? die() : result;
      };
      await migration.up(Object.assign(runner, { query: dying }), dialect);
      await die();
    },
  };
}

async function migrate({ databaseUrl: url, deadly }: Migrating): Promise<void> {
  const migrations = schema.migrations.map((migration) => dyingIn(migration, deadly));
  const database = await openDatabase({ url, schema: { ...schema, migrations } });
  await database.migrate();
  await database.close();
}

await migrate(JSON.parse(await text(process.stdin)) as Migrating);
