import { beforeEach, expect, test } from 'vitest';
import { type Database, DatabaseUnavailable, isDiskFault } from '../src/index.js';
import { describeEachDialect, fillDiskOf } from '../src/testing.js';
import { insertNamed, namesIn } from './support/rows.js';
import { shop } from './support/shop.js';

describeEachDialect('a database that cannot be written', (open, dialect) => {
  let database: Database;
  beforeEach(async () => {
    ({ database } = await open(shop));
  });

  const large = dialect === 'sqlite' ? 'no'.repeat(50_000) : 'no';
  const reason = dialect === 'sqlite' ? 'its disk is full' : 'it is read-only';

  /** A disk that is full, or a primary that became a standby. */
  async function refuseWrites(isOn: boolean): Promise<void> {
    if (dialect === 'sqlite') {
      const pages = isOn ? 1 : 1_000_000;
      await database.transaction((tx) => tx.query(`pragma max_page_count = ${pages}`));
      return;
    }
    const word = isOn ? 'on' : 'off';
    await database.transaction(async (tx) => {
      await tx.query('set transaction read write');
      const [{ name } = { name: '' }] = (await tx.query('select current_database() as name')) as {
        name: string;
      }[];
      await tx.query(`alter database "${name}" set default_transaction_read_only = ${word}`);
    });
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()';
    await database.read((tx) => tx.query(`${others} and pid <> pg_backend_pid()`));
    // our own session too: it was opened before
    await database
      .read((tx) => tx.query('select pg_terminate_backend(pg_backend_pid())'))
      .catch(() => undefined);
  }

  test('is reported as soon as a write fails, serves readers, and recovers at once', async () => {
    await database.transaction((tx) => insertNamed(tx, 'first'));
    expect(await database.findFault()).toBeUndefined();
    await refuseWrites(true);
    await expect(database.transaction((tx) => insertNamed(tx, large))).rejects.toThrow(DatabaseUnavailable);
    expect(await database.findFault()).toBe(`the database cannot be written: ${reason}`);
    expect(await namesIn(database)).toEqual(['first']);
    await refuseWrites(false);
    expect(await database.findFault()).toBeUndefined();
    await database.transaction((tx) => insertNamed(tx, 'last'));
    expect(await namesIn(database)).toEqual(['first', 'last']);
  });

  test('confirms a full disk after a write failed, until writes succeed, and asks nothing before', async () => {
    expect(await database.confirmWriteFault()).toBeUndefined();
    const makeRoom = await fillDiskOf(database);
    const write = () => database.transaction((tx) => insertNamed(tx, large));
    await expect(write()).rejects.toThrow(DatabaseUnavailable);
    const fault = await database.confirmWriteFault();
    expect(fault).toBe('the database cannot be written: its disk is full');
    expect(isDiskFault(fault ?? '')).toBe(true);
    await makeRoom();
    expect(await database.confirmWriteFault()).toBeUndefined();
    expect(await namesIn(database)).toEqual([]);
  });

  test('shows no trace of the test write', async () => {
    const pending = await database.pendingMigrations();
    expect(await database.findFault()).toBeUndefined();
    expect(await database.pendingMigrations()).toEqual(pending);
    expect(await database.read((tx) => tx.query('select name from migrations'))).toEqual([
      { name: '0001-initial' },
    ]);
  });
});
