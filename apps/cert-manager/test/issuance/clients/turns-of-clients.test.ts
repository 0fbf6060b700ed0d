import { randomUUID } from 'node:crypto';
import { insertMany } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listDueIssuances } from '../../../src/issuance/jobs/due-issuances.repository.js';
import { directIssuance } from '../../../src/issuance/signing/begin-signing.service.js';
import { type IssuanceRow, issuances } from '../../../src/issuance/signing/issuances.repository.js';
import { startApp, type TestApp } from '../../support/app.js';
import { newOrderingClient } from '../../support/front/client-orders.js';

describeEachDialect('queued issuances of a provider', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test('are taken in turns of spaces, and in a space of its clients, however many one has queued before', async () => {
    const providerId = randomUUID();
    const { caller } = newOrderingClient();
    const now = app.clock.now();
    const queued = (count: number, spaceId: string, clientId: string | null, agoMs: number): IssuanceRow[] =>
      Array.from({ length: count }, (_, index) => ({
        ...directIssuance,
        id: randomUUID(),
        fqdnId: randomUUID(),
        fqdn: 'www.example.org',
        spaceId,
        csrId: randomUUID(),
        spkiSha256: '',
        providerId,
        cause: clientId === null ? 'request' : 'client',
        isOrder: true,
        state: 'queued',
        idempotencyKey: randomUUID(),
        caller,
        clientId,
        attempt: 0,
        nextAt: new Date(now.getTime() - agoMs + index),
        createdAt: now,
      }));
    const [one, two] = [randomUUID(), randomUUID()];
    const [busy, calm, other] = [randomUUID(), randomUUID(), randomUUID()];
    const rows = [
      ...queued(500, one, busy, 60_000),
      ...queued(5, one, calm, 30_000),
      ...queued(5, one, null, 20_000),
      ...queued(5, two, other, 10_000),
    ];
    await app.database.transaction(async (tx) => {
      for (let from = 0; from < rows.length; from += 50)
        await insertMany(tx, issuances, rows.slice(from, from + 50));
    });
    const listed = await app.database.read((tx) => listDueIssuances(tx, now, { except: [], limit: 64 }));
    const countOf = (spaceId: string, clientId: string | null) =>
      listed.filter((each) => each.spaceId === spaceId && each.clientId === clientId).length;
    expect([countOf(one, busy), countOf(one, calm), countOf(one, null), countOf(two, other)]).toEqual([
      49, 5, 5, 5,
    ]);
    const first = await app.database.read((tx) => listDueIssuances(tx, now, { except: [], limit: 4 }));
    expect(first.map(({ spaceId, clientId }) => [spaceId, clientId])).toEqual(
      expect.arrayContaining([
        [one, busy],
        [two, other],
        [one, calm],
        [two, other],
      ]),
    );
  });
});
