import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, DatabaseUnavailable, insertMany, openDatabase } from '../src/index.js';
import { testDatabaseUrl, testDialects } from '../src/testing.js';
import { customer, gate, insertNamed, names, namesIn } from './support/rows.js';
import { customers, shop } from './support/shop.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'certloop-open-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const refusal = async (url: string): Promise<string> => {
  const error = await openDatabase({ url, schema: shop }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  return (error as Error).message;
};

describe('a SQLite file', () => {
  test('is created with its folder, for its owner only, in write-ahead mode, fully synchronous', async () => {
    const file = join(folder, 'new', 'deep', 'app.sqlite');
    const database = await openDatabase({ url: `sqlite:${file}`, schema: shop });
    await database.migrate();
    const pragma = (name: string) => database.transaction((tx) => tx.query(`pragma ${name}`));
    expect(await pragma('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(await pragma('synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await pragma('foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    await database.transaction((tx) => insertNamed(tx, 'Ada'));
    const modes = ['', '-wal', '-shm'].map((suffix) => statSync(file + suffix).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    await database.close();
    const again = await openDatabase({ url: `sqlite://${file}`, schema: shop });
    expect(await namesIn(again)).toEqual(['Ada']);
    await again.close();
  });

  test('truncates a write-ahead log that grew during a long read', async () => {
    const file = join(folder, 'grown.sqlite');
    const database = await openDatabase({ url: `sqlite:${file}`, schema: shop });
    await database.migrate();
    const limit = 64 * 2 ** 20;
    const logBytes = () => statSync(`${file}-wal`).size;
    const write = (photo: Buffer) =>
      database.transaction((tx) => insertMany(tx, customers, [customer({ photo })]));
    const [isRead, isOver] = [gate(), gate()];
    const reading = database.read(async (tx) => {
      await names(tx);
      isRead.open();
      await isOver.opened;
    });
    await isRead.opened;
    for (let n = 0; n < 9; n += 1) await write(Buffer.alloc(2 ** 23));
    isOver.open();
    await reading;
    expect(logBytes()).toBeGreaterThan(limit);
    for (let n = 0; n < 3; n += 1) await write(Buffer.alloc(1));
    expect(logBytes()).toBeLessThanOrEqual(limit);
    await database.close();
  });

  test('that is not a SQLite database is rejected', async () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'these are my notes, not a database '.repeat(100));
    expect(await refusal(`sqlite:${file}`)).toBe(
      `cannot open the database ${file}: file is not a database: the file is damaged; stop the service and restore a backup (docs/backup-and-restore.md)`,
    );
  });

  test('that is damaged below its header is rejected with what to do', async () => {
    const file = join(folder, 'damaged.sqlite');
    const before = await openDatabase({ url: `sqlite:${file}`, schema: shop });
    await before.migrate();
    await before.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 100));
    const damaged = await openDatabase({ url: `sqlite:${file}`, schema: shop }).catch(
      (error: unknown) => error,
    );
    const reason =
      damaged instanceof Error
        ? damaged
        : await (damaged as Database).migrate().catch((error: unknown) => error);
    expect(reason).toBeInstanceOf(DatabaseUnavailable);
    expect((reason as Error).message).toMatch(
      /^cannot \w+ the database .*damaged\.sqlite: .* malformed: the file is damaged; stop the service and restore a backup \(docs\/backup-and-restore\.md\)$/,
    );
    if (!(damaged instanceof Error)) await (damaged as Database).close();
  });

  test('is rejected if its folder cannot be created', async () => {
    const file = join(folder, 'plain');
    writeFileSync(file, '');
    expect(await refusal(`sqlite:${file}/app.sqlite`)).toMatch(
      /^cannot write the database .*: EEXIST|ENOTDIR/,
    );
    expect(await refusal(`sqlite:${folder}`)).toMatch(/^cannot write the database .*: EISDIR/);
  });
});

test('a database in memory is the same database for all callers', async () => {
  const database = await openDatabase({ url: 'sqlite::memory:', schema: shop });
  await database.migrate();
  await Promise.all(['a', 'b', 'c'].map((name) => database.transaction((tx) => insertNamed(tx, name))));
  await expect(database.read((tx) => insertNamed(tx, 'd'))).rejects.toThrow(/readonly/);
  expect(await namesIn(database)).toEqual(['a', 'b', 'c']);
  await database.transaction((tx) => insertNamed(tx, 'e'));
  expect(await database.schemaDrift()).toEqual([]);
  await database.close();
});

describe('a URL', () => {
  test.each([
    ['mysql://ada:hunter2@host/db', /must begin with sqlite: or postgres:\/\//],
    ['', /must begin with sqlite: or postgres:\/\//],
    ['sqlite:', /names no file/],
    ['postgres://ada:hunter2@host:port/db', /malformed/],
  ])('rejects %s without showing its password', async (url, message) => {
    expect(await refusal(url)).toMatch(message);
    expect(await refusal(url)).not.toContain('hunter2');
  });

  test('rejects a server that does not exist, without showing its password', async () => {
    const port = await unusedPort();
    expect(await refusal(`postgres://ada:hunter2@127.0.0.1:${port}/db`)).toBe(
      `cannot open the PostgreSQL at 127.0.0.1:${port}/db: connect ECONNREFUSED 127.0.0.1:${port}`,
    );
    expect(await refusal(`postgres://ada:hunter2@localhost:${port}/db`)).toMatch(/ECONNREFUSED/);
  });

  const onPostgres = testDialects().includes('postgres') ? test : test.skip;

  onPostgres('of a database that is not there is refused', async () => {
    const { url, drop } = await testDatabaseUrl('postgres');
    await drop();
    expect(await refusal(url)).toMatch(/^cannot open the PostgreSQL at .*: database ".*" does not exist$/);
  });
});

function unusedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
