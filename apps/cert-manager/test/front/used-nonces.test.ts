import { column, querySql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteExpiredNonces, insertUsedNonce } from '../../src/front/nonces/used-nonces.repository.js';
import { startApp, type TestApp } from '../support/app.js';

describeEachDialect('used nonces', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const use = (nonce: string, minutes = 60) => {
    const end = new Date(app.clock.now().getTime() + minutes * 60_000);
    return app.database.transaction((tx) => insertUsedNonce(tx, nonce, end));
  };

  test('are refused when they come again', async () => {
    expect(await use('first')).toBe(true);
    expect(await use('first')).toBe(false);
    expect(await use('second')).toBe(true);
  });

  test('are used by one of two requests at once', async () => {
    const outcomes = await Promise.all([use('contested'), use('contested'), use('contested')]);
    expect(outcomes.toSorted()).toEqual([false, false, true]);
  });

  test('are deleted in slices after they have expired', async () => {
    for (const nonce of ['a', 'b', 'c']) await use(nonce, 10);
    const purge = () => app.database.transaction((tx) => deleteExpiredNonces(tx, app.clock.now(), 2));
    expect(await purge()).toBe(0);
    app.clock.advance(10 * 60_000);
    expect([await purge(), await purge(), await purge()]).toEqual([2, 1, 0]);
    const left = await app.database.read((tx) =>
      querySql(tx, { nonce: column.text() }, 'select nonce from acme_used_nonces order by nonce'),
    );
    expect(left.map(({ nonce }) => nonce)).toEqual(['contested', 'first', 'second']);
  });
});
