import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, executeSql, openDatabase } from '../src/index.js';
import {
  type Bouncer,
  hasPgBouncer,
  openRelay,
  startPgBouncer,
  testDatabaseUrl,
  testDialects,
} from '../src/testing.js';
import { insertNamed, namesIn } from './support/rows.js';
import { shop } from './support/shop.js';

const onPgBouncer = testDialects().includes('postgres') && hasPgBouncer() ? describe : describe.skip;

const settings = {
  name: 'settings',
  text: `select current_setting('enable_seqscan'), current_setting('statement_timeout') where $1::text is not null`,
};
const double = { name: 'double', text: 'select $1::int * 2' };

onPgBouncer.each(['transaction', 'session'] as const)('PgBouncer in mode %s', (mode) => {
  const cleanups: (() => Promise<unknown>)[] = [];
  // two processes, as it were, with more connections than PgBouncer has to the server
  let bouncer: Bouncer;
  let both: readonly Database[];

  beforeEach(async () => {
    const { url, drop } = await testDatabaseUrl('postgres');
    bouncer = await startPgBouncer(url, mode);
    both = await Promise.all([1, 2].map(() => openDatabase({ url: bouncer.url, schema: shop })));
    cleanups.push(drop, bouncer.close, ...both.map((each) => () => each.close()));
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  test('runs migrations once, transactions, and statements in autocommit mode', async () => {
    const ran = await Promise.all(both.map((each) => each.migrate()));
    expect(ran.flat()).toEqual(['0001-initial']);
    const rounds = Array.from({ length: 60 }, (_, n) => n);
    const work = rounds.map(async (n) => {
      const database = both[n % 2];
      if (n % 3 === 0) await database?.transaction((tx) => insertNamed(tx, `${n}`));
      if (n % 3 === 1)
        await database?.read((tx) => executeSql(tx, 'select * from customers where name = $1', ['0']));
      return database?.autocommit?.run(double, [`${n}`]);
    });
    expect(await Promise.all(work)).toEqual(rounds.map((n) => [[2 * n]]));
    for (const each of both) expect(await namesIn(each)).toHaveLength(20);
  });

  test('passes no setting of one client to the next', async () => {
    const inAutocommit = await Promise.all(both.map((each) => each.autocommit?.run(settings, ['any'])));
    expect(inAutocommit).toEqual([[['off', '5s']], [['off', '5s']]]);
    const elsewhere = await Promise.all(
      [...both, ...both, ...both].map((each) =>
        each.read((tx) => tx.query(`select current_setting('enable_seqscan') as scan`)),
      ),
    );
    expect(elsewhere.flat()).toEqual(Array(6).fill({ scan: 'on' }));
  });

  test('fails statements in seconds on a connection that ends silently', async () => {
    const relay = await openRelay(bouncer.url);
    const frozen = await openDatabase({ url: relay.url, schema: shop, limits: { answerMs: 600 } });
    cleanups.push(
      () => relay.close(),
      () => frozen.close(),
    );
    const asleep = frozen.longTransaction((tx) => tx.query('select pg_sleep(10)'));
    const begun = frozen.read(async (tx) => {
      await tx.query('select 1');
      relay.freeze();
      await tx.query('select 1');
    });
    for (const outcome of await Promise.allSettled([asleep, begun])) {
      expect(outcome).toMatchObject({ reason: { message: expect.stringContaining('lost on the way') } });
    }
    const honest = frozen.longTransaction((tx) => tx.query('select pg_sleep(2)'));
    expect(await honest).toHaveLength(1);
  });

  test('reports a failed statement in autocommit mode, and runs the next', async () => {
    const [database] = both;
    await expect(database?.autocommit?.run(double, ['no number'])).rejects.toMatchObject({ code: '22P02' });
    expect(await database?.autocommit?.run(double, ['4'])).toEqual([[8]]);
  });
});
