import { randomUUID } from 'node:crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listLineagesOf } from '../../src/front/lineages.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { addServerAccount, addServerOrder, failedOrder } from '../support/front/front-rows.js';

describeEachDialect('lineages of FQDNs', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const lineagesOf = (...fqdnIds: string[]) => app.database.read((tx) => listLineagesOf(tx, fqdnIds));

  test('are their newest issued orders, with the account', async () => {
    const account = await addServerAccount(app, { userAgent: 'lego/4.35', ipAddress: '10.0.0.8' });
    const fqdnId = randomUUID();
    const lineage = randomUUID();
    await addServerOrder(app, account, { fqdnId, lineage, isNewest: false });
    app.clock.advance(1000);
    const newest = await addServerOrder(app, account, { fqdnId, lineage });
    await addServerOrder(app, account);
    const found = await lineagesOf(fqdnId);
    expect(found).toMatchObject([
      {
        ...newest,
        accountStatus: 'valid',
        accountUserAgent: 'lego/4.35',
        accountIpAddress: '10.0.0.8',
        accountSeenAt: account.seenAt,
        lastId: newest.id,
        lastState: 'valid',
        lastProblem: null,
      },
    ]);
  });

  test('have the order that failed after them', async () => {
    const account = await addServerAccount(app);
    const fqdnId = randomUUID();
    const lineage = randomUUID();
    const issued = await addServerOrder(app, account, { fqdnId, lineage });
    app.clock.advance(1000);
    const failed = await addServerOrder(app, account, { fqdnId, lineage, ...failedOrder });
    const [found] = await lineagesOf(fqdnId);
    expect(found).toMatchObject({
      id: issued.id,
      lastId: failed.id,
      lastState: 'invalid',
      lastProblem: failedOrder.problem,
      lastEndedAt: failed.endedAt,
    });
  });

  test('are several for two servers of one name, and those of several FQDNs in one answer', async () => {
    const [one, other] = [await addServerAccount(app), await addServerAccount(app)];
    const [fqdnId, another] = [randomUUID(), randomUUID()];
    for (const account of [one, other]) {
      await addServerOrder(app, account, { fqdnId, lineage: randomUUID() });
      app.clock.advance(1000);
    }
    await addServerOrder(app, one, { fqdnId: another, lineage: randomUUID() });
    const found = await lineagesOf(fqdnId, another);
    expect(found.map((row) => [row.fqdnId, row.accountId])).toEqual([
      [fqdnId, one.id],
      [fqdnId, other.id],
      [another, one.id],
    ]);
  });

  test('are none of orders that failed before any was issued', async () => {
    const account = await addServerAccount(app);
    const { fqdnId } = await addServerOrder(app, account, failedOrder);
    expect(await lineagesOf(fqdnId)).toEqual([]);
  });
});
