import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dialects } from '../src/dialect.js';
import { insertMany, openDatabase, type Tx } from '../src/index.js';
import { parseAddress } from '../src/source.js';
import { openSqliteBackend } from '../src/sqlite/sqlite-backend.js';
import { testDatabaseUrl } from '../src/testing.js';
import type { Backend } from '../src/transactions/backend.js';
import type { Session } from '../src/transactions/runner.js';
import { SharedCommits, type SharingLimits } from '../src/transactions/shared-commits.js';
import { gate, insertNamed, names } from './support/rows.js';
import { orders, shop } from './support/shop.js';

type Outcome = { readonly value: unknown } | { readonly reason: string };

/** How each ended, in the order given. */
async function outcomes(work: readonly Promise<unknown>[]): Promise<Outcome[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) =>
    end.status === 'fulfilled' ? { value: end.value } : { reason: String((end.reason as Error).message) },
  );
}

describe('one commit of several callers in SQLite', () => {
  let drop: () => Promise<void>;
  let file: string;
  let backend: Backend;

  beforeEach(async () => {
    const address = await testDatabaseUrl('sqlite');
    const database = await openDatabase({ url: address.url, schema: shop });
    await database.migrate();
    await database.close();
    const parsed = parseAddress(address.url);
    file = parsed.dialect === 'sqlite' ? (parsed.file ?? '') : '';
    drop = address.drop;
    backend = await open();
  });
  afterEach(async () => {
    await backend.close();
    await drop();
  });

  // however slow the machine is, all of them take part in one commit
  const open = (limits: Partial<SharingLimits> = {}) =>
    openSqliteBackend(file, shop.entities(dialects.sqlite), { joinMs: 60_000, ...limits });
  const stored = () => backend.read(names);
  const write = (name: string) => backend.write((tx) => insertNamed(tx, name));

  /** Its commit is refused: it refers to no one, and has SQLite look only then. */
  async function spoilCommit(tx: Tx): Promise<void> {
    await tx.query('pragma defer_foreign_keys = on');
    const customerId = randomUUID();
    await insertMany(tx, orders, [{ customerId, status: 'open', note: '', seenAt: 1 }]);
  }

  test('fails for all of them when it is rejected, and stores nothing', async () => {
    const ends = await outcomes([write('first'), backend.write(spoilCommit), write('last')]);
    const reason = expect.stringContaining('FOREIGN KEY constraint failed');
    expect(ends).toEqual([{ reason }, { reason }, { reason }]);
    expect(await stored()).toEqual([]);
    await write('next');
    expect(await stored()).toEqual(['next']);
  });

  test('fails for a caller that read data in it that is not stored', async () => {
    const ends = await outcomes([write('first'), backend.write(names), backend.write(spoilCommit)]);
    expect(ends.map((end) => 'reason' in end)).toEqual([true, true, true]);
  });

  test('shows later callers what earlier ones wrote, but not what failed ones wrote', async () => {
    const failing = backend.write(async (tx) => {
      await insertNamed(tx, 'failing');
      throw new RangeError('no');
    });
    const ends = await outcomes([write('first'), failing, backend.write(names)]);
    expect(ends).toEqual([{ value: undefined }, { reason: 'no' }, { value: ['first'] }]);
    expect(await stored()).toEqual(['first']);
  });

  test('stores exactly the acknowledged callers when the disk is full', async () => {
    const [{ page_count: pages }] = (await backend.write((tx) => tx.query('pragma page_count'))) as [
      { page_count: number },
    ];
    const fill = backend.write(async (tx) => {
      await tx.query(`pragma max_page_count = ${pages + 2}`);
      await insertNamed(tx, 'x'.repeat(100_000));
    });
    const [first, filled, last] = await outcomes([write('first'), fill, write('last')]);
    expect(filled).toEqual({ reason: expect.stringContaining('full') });
    expect(last).toEqual({ value: undefined });
    // SQLite gives up the statement or the whole transaction, whichever it can
    const isCommitted = first !== undefined && 'value' in first;
    expect(await stored()).toEqual(isCommitted ? ['first', 'last'] : ['last']);
  });

  test('fails callers that ignored the error by which SQLite ended it', async () => {
    const [{ page_count: pages }] = (await backend.write((tx) => tx.query('pragma page_count'))) as [
      { page_count: number },
    ];
    const careless = backend.write(async (tx) => {
      await tx.query(`pragma max_page_count = ${pages + 2}`);
      await insertNamed(tx, 'x'.repeat(100_000)).catch(() => undefined);
      await insertNamed(tx, 'stray');
    });
    await expect(careless).rejects.toThrow('the transaction is over');
    expect(await stored()).toEqual([]);
  });

  test('does not wait for one of them without limit', async () => {
    await backend.close();
    backend = await open({ workMs: 20 });
    const { opened, open: release } = gate();
    const endless = backend.write(async (tx) => {
      await insertNamed(tx, 'endless');
      await opened;
      await insertNamed(tx, 'too late');
    });
    const ends = await outcomes([write('first'), endless, write('last')]);
    expect(ends).toEqual([
      { value: undefined },
      { reason: expect.stringContaining('did not end within 20 ms') },
      { value: undefined },
    ]);
    release();
    await write('next');
    expect(await stored()).toEqual(['first', 'last', 'next']);
  });
});

test('a read that runs no statement times out, and others can read', async () => {
  const { url, drop } = await testDatabaseUrl('sqlite');
  const { file } = parseAddress(url) as { readonly file: string };
  const backend = await openSqliteBackend(file, shop.entities(dialects.sqlite), { idleMs: 30 });
  const hung = backend.read(() => new Promise(() => undefined));
  const ends = await outcomes([hung, backend.read((tx) => tx.query('select 1 as one'))]);
  const reason = 'the transaction was given up, as it ran no statement for 30 ms';
  expect(ends).toEqual([{ reason }, { value: [{ one: 1 }] }]);
  await backend.close();
  await drop();
});

describe('a caller that shares a commit', () => {
  /** Statements as they were sent, and a commit that ends as the test asks. */
  function scripted(commit: () => Promise<void>) {
    const sent: string[] = [];
    const newSession = (): Session => ({
      runner: { manager: {} } as Session['runner'],
      control: async (statement) => {
        sent.push(statement);
        if (statement === 'COMMIT') await commit();
      },
      seal: async () => false,
      whileActive: (_ms, work) => work,
    });
    return { sent, commits: new SharedCommits({ alone: (work) => work(), newSession }, { joinMs: 60_000 }) };
  }

  test('gets its result after the commit, whether its own work failed or not', async () => {
    const committing = gate();
    const onDisk = gate();
    const { sent, commits } = scripted(async () => {
      committing.open();
      await onDisk.opened;
    });
    const answered: string[] = [];
    const works = [
      commits.write(async () => undefined).then(() => answered.push('done')),
      commits.write(async () => Promise.reject(new Error('no'))).catch(() => answered.push('failed')),
    ];
    await committing.opened;
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toEqual([]);
    onDisk.open();
    await Promise.all(works);
    expect(answered).toEqual(['done', 'failed']);
    expect(sent.filter((statement) => statement === 'COMMIT')).toHaveLength(1);
  });

  test('shares it with callers that come in the next turns of the event loop', async () => {
    const { sent, commits } = scripted(async () => undefined);
    const works = [commits.write(async () => undefined)];
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      works.push(commits.write(async () => undefined));
    }
    await Promise.all(works);
    expect(sent.filter((statement) => statement === 'COMMIT')).toHaveLength(1);
  });

  test('does not wait behind others for a file that another process holds', async () => {
    const busy = Object.assign(new Error('database is locked'), { name: 'SqliteError', code: 'SQLITE_BUSY' });
    let attempts = 0;
    const newSession = (): Session => ({
      runner: { manager: {} } as Session['runner'],
      control: async (statement) => {
        if (statement !== 'BEGIN IMMEDIATE') return;
        attempts += 1;
        throw busy;
      },
      seal: async () => false,
      whileActive: (_ms, work) => work,
    });
    const commits = new SharedCommits({ alone: (work) => work(), newSession }, { patienceMs: 100 });
    let attemptsOfFirst = 0;
    const works = Array.from({ length: 6 }, (_, n) =>
      commits
        .write(async () => n)
        .finally(() => {
          if (n === 0) attemptsOfFirst = attempts;
        }),
    );
    const reason = 'another process has held the database for 100 ms';
    expect(await outcomes(works)).toEqual(works.map(() => ({ reason })));
    expect(attemptsOfFirst).toBeGreaterThan(1);
    expect(attempts - attemptsOfFirst).toBe(5);
  });

  test('gets its failure, and the next commit is separate', async () => {
    let count = 0;
    const { sent, commits } = scripted(async () => {
      count += 1;
      if (count === 1) throw new Error('disk I/O error');
    });
    const works = ['one', 'other'].map((name) => commits.write(async () => name));
    const reason = 'disk I/O error';
    expect(await outcomes(works)).toEqual([{ reason }, { reason }]);
    expect(sent.at(-1)).toBe('ROLLBACK');
    expect(await commits.write(async () => 'next')).toBe('next');
  });
});
