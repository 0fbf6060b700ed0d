import { EventEmitter, once } from 'node:events';
import { column, type Database, querySql } from '@certloop/db';
import { createLoneDatabase, testDialects } from '@certloop/db/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../support/app.js';
import { intakeOf, pingTo } from '../support/intake.js';

describe.each(testDialects())('replaced pings on %s', (dialect) => {
  const closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0).reverse()) await close();
  });

  /** The service, and what pings each of 20 checks in turn, 10 times a lap, which is the limit of what is stored. */
  async function openLaps(): Promise<{
    app: TestApp;
    pingLaps: (laps: number) => Promise<void>;
  }> {
    const app = await openTestApp(async (schema) => {
      const made = await createLoneDatabase(dialect, schema);
      closes.push(made.drop);
      return made;
    });
    closes.push(app.close);
    const carl = await app.newProject({ checkLimit: 20, pingLimit: 10 });
    const uuids: string[] = [];
    while (uuids.length < 20) uuids.push((await carl.check()).uuid);
    const intake = intakeOf({ app });
    const pingLaps = async (laps: number) => {
      for (let time = 0; time < 10 * laps; time += 1)
        await Promise.all(uuids.map((uuid) => intake.receive(pingTo(uuid))));
    };
    return { app, pingLaps };
  }

  test('leave only space that the next pings reuse', async () => {
    const { app, pingLaps } = await openLaps();
    const { database } = app;
    await pingLaps(2);
    const [before, updatesBefore] = [await sizeOf(database), await countUpdatesInPlace(database)];
    await pingLaps(15);
    // 3,000 rows of 100 bytes each were overwritten
    expect((await sizeOf(database)) - before).toBeLessThanOrEqual(24_000);
    const updates = await countUpdatesInPlace(database);
    // within their pages, without a change of the index; SQLite has no others
    if (updates !== undefined) expect(updates - (updatesBefore ?? 0)).toBeGreaterThan(0.95 * 3000);
  });

  // a writer of SQLite is alone
  if (dialect === 'sqlite') return;

  test('leave space that is reused after a long transaction has ended', async () => {
    const { app, pingLaps } = await openLaps();
    const { database } = app;
    await pingLaps(2);
    const first = await sizeOf(database);
    const endTransaction = await beginTransaction(database);
    await pingLaps(5);
    await endTransaction();
    const before = await sizeOf(database);
    // 1,000 rows were overwritten, and the transaction might have read each of them
    expect(before - first).toBeGreaterThan(24_000);
    await pingLaps(15);
    expect((await sizeOf(database)) - before).toBeLessThanOrEqual(24_000);
  });
});

/** Begins a transaction that changes nothing; returns what ends it. */
async function beginTransaction(database: Database): Promise<() => Promise<void>> {
  const events = new EventEmitter();
  const [begun, asked] = [once(events, 'begun'), once(events, 'end')];
  const transaction = database.transaction(async (tx) => {
    await tx.query('select pg_current_xact_id()');
    events.emit('begun');
    await asked;
  });
  await begun;
  return async () => {
    events.emit('end');
    await transaction;
  };
}

/** Bytes on disk, on PostgreSQL of the table of pings and its index. */
async function sizeOf(database: Database): Promise<number> {
  const text =
    database.dialect.name === 'postgres'
      ? `select pg_relation_size('pings') + pg_relation_size('pk_pings') as bytes`
      : 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size';
  const [row] = await database.read((tx) => querySql(tx, { bytes: column.bigint() }, text));
  return row?.bytes ?? 0;
}

/** Updates of pings that changed no index; undefined on SQLite. */
async function countUpdatesInPlace(database: Database): Promise<number | undefined> {
  const { autocommit } = database;
  if (autocommit === undefined) return undefined;
  const flush = {
    name: 'flush-stats',
    text: 'select cast(pg_stat_force_next_flush() as text), pg_sleep(0.1)',
  };
  // at once, so that each connection that writes pings has its turn
  await Promise.all([autocommit.run(flush, []), autocommit.run(flush, [])]);
  const text = `select n_tup_hot_upd as updates from pg_stat_user_tables where relname = 'pings'`;
  const [found] = await database.read((tx) => querySql(tx, { updates: column.bigint() }, text));
  return found?.updates;
}
