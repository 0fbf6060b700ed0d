import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '@certloop/contracts/testing';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  addColumns,
  column,
  type Database,
  type DatabaseWarning,
  openDatabase,
  type Schema,
} from '../src/index.js';
import { createTestDatabase, describeOnPostgres, type TestDatabase } from '../src/testing.js';
import { gate, names, namesIn } from './support/rows.js';
import { shop } from './support/shop.js';

const withMottos: Schema = {
  ...shop,
  migrations: [
    ...shop.migrations,
    {
      name: '0002-mottos',
      up: (runner, dialect) => addColumns(runner, dialect, 'customers', { motto: column.text().nullable() }),
      down: async (runner) => void (await runner.dropColumn('customers', 'motto')),
    },
  ],
};

describeOnPostgres('a migration', () => {
  let made: TestDatabase;
  let starting: Database;
  let warnings: DatabaseWarning[];
  let warned: Promise<void>;

  beforeEach(async () => {
    made = await createTestDatabase('postgres', shop);
    warnings = [];
    const first = gate();
    warned = first.opened;
    starting = await openDatabase({
      url: made.url,
      schema: withMottos,
      limits: { lockMs: 200 },
      onWarning: (warning) => {
        warnings.push(warning);
        first.open();
      },
    });
  });
  afterEach(async () => {
    await starting.close();
    await made.drop();
  });

  test('waits for a long read without blocking later ones, and runs after it', async () => {
    const isRead = gate();
    const isOver = gate();
    const reading = made.database.read(async (tx) => {
      await names(tx);
      isRead.open();
      await isOver.opened;
    });
    await isRead.opened;
    const migrating = starting.migrate();
    // they end while the long read goes on: without a limit each of them would wait for its end
    for (let n = 0; n < 20; n += 1) {
      await namesIn(made.database);
      await sleep(20);
    }
    await warned;
    isOver.open();
    expect(await migrating).toEqual(['0002-mottos']);
    await reading;
    const reason = 'long statements use the tables that the migration changes; it is tried again';
    expect(warnings).toEqual([{ name: 'database.migration_waits', detail: { reason } }]);
  });

  test('reports that it waits for another process, and leaves no backend behind when it is stopped', async () => {
    const other = new pg.Client({ connectionString: made.url });
    await other.connect();
    await other.query('begin; select pg_advisory_xact_lock(4716001)');
    const migrating = starting.migrate();
    await warned;
    const reason = 'another process migrates the database';
    expect(warnings).toEqual([{ name: 'database.migration_waits', detail: { reason } }]);

    // outside of its transaction, in which it would see the same backends forever
    const backends = async (): Promise<number> => {
      const rows = await made.database.read((tx) =>
        tx.query<{ n: number }[]>(`select count(*)::int as n from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`),
      );
      return rows[0]?.n ?? 0;
    };
    const before = await backends();
    const visitor = fileURLToPath(new URL('./support/visitor.js', import.meta.url));
    const ended = spawn(process.execPath, [visitor, 'migrate', made.url], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    expect(String(await once(ended.stderr, 'data'))).toBe('database.migration_waits\n');
    expect(await backends()).toBeGreaterThan(before);
    ended.kill('SIGTERM');
    await once(ended, 'exit');
    await until(async () => (await backends()) <= before);

    await other.query('rollback');
    expect(await migrating).toEqual(['0002-mottos']);
    await other.end();
  });
});
