import { openDatabase } from '@certloop/db';
import {
  createTestDatabase,
  hasPgBouncer,
  type OpenTestDatabase,
  startPgBouncer,
  testDialects,
} from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../support/app.js';

const onPgBouncer = testDialects().includes('postgres') && hasPgBouncer() ? describe : describe.skip;

onPgBouncer('two monitors behind PgBouncer in transaction mode', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let both: readonly [TestApp, TestApp];

  beforeAll(async () => {
    let url: string | undefined;
    const openBehind: OpenTestDatabase = async (schema) => {
      if (url === undefined) {
        const made = await createTestDatabase('postgres', schema);
        const bouncer = await startPgBouncer(made.url, 'transaction');
        cleanups.push(made.drop, bouncer.close);
        url = bouncer.url;
      }
      const database = await openDatabase({ url, schema });
      cleanups.push(() => database.close());
      return { database, url, drop: async () => undefined };
    };
    both = [await openTestApp(openBehind), await openTestApp(openBehind)];
    cleanups.push(...both.map((app) => () => app.close()));
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  test('store each ping once, in the order of their numbers', async () => {
    const [app] = both;
    const ada = await app.newProject({ pingLimit: 1000 });
    const checks = await Promise.all(['a', 'b', 'c'].map((slug) => ada.check({ slug })));
    const sent = Array.from({ length: 240 }, (_, n) => {
      const { uuid, slug } = checks[n % 3];
      const path = n % 5 === 0 ? `${ada.keys.pingKey}/${slug}` : uuid;
      return both[n % 2 === 0 ? 0 : 1].http.get(`/ping/${path}${n % 7 === 0 ? '/fail' : ''}`);
    });
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses).toEqual(Array(240).fill(200));
    for (const { uuid } of checks) {
      const { pings } = (await ada.get(`/checks/${uuid}/pings/`).expect(200)).body;
      expect(pings.map(({ n }: { n: number }) => n)).toEqual(Array.from({ length: 80 }, (_, at) => 80 - at));
    }
  });

  test('let overdue checks fall, and answer readers', async () => {
    const [app, other] = both;
    const ada = await app.newProject();
    const { uuid } = await ada.check({ timeout: 60, grace: 60 });
    await ada.ping({ uuid });
    other.clock.advance(600_000);
    await other.tick();
    expect((await ada.get(`/checks/${uuid}/flips/`).expect(200)).body).toMatchObject([{ up: 0 }, { up: 1 }]);
    await app.http.get('/health/ready').expect(200);
    await app.http.get(`/ping/${ada.keys.pingKey}/made?create=1`).expect(201);
  });
});
