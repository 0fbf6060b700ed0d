import { openDatabase } from '@certloop/db';
import {
  createTestDatabase,
  describeOnPostgres,
  type OpenTestDatabase,
  openRelay,
  type Relay,
} from '@certloop/db/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Holder, openTestApp, type TestApp } from '../support/app.js';

const unavailable = 'the database is not available; try again in 5 s';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describeOnPostgres('a database that is away', () => {
  let relay: Relay;
  let app: TestApp;
  let ada: Holder;

  const openThroughRelay: OpenTestDatabase = async (schema) => {
    const made = await createTestDatabase('postgres', schema);
    relay = await openRelay(made.url);
    const database = await openDatabase({ url: relay.url, schema });
    cleanups.push(
      made.drop,
      () => relay.close(),
      () => database.close(),
    );
    return { ...made, database };
  };

  beforeEach(async () => {
    app = await openTestApp(openThroughRelay);
    cleanups.push(() => app.close());
    ada = await app.newProject();
  });

  test('causes 503 with Retry-After, and is used again when it is back', async () => {
    const { uuid } = await ada.check({ slug: 'job' });
    await ada.ping({ uuid });
    relay.goAway();
    for (const path of [`/ping/${uuid}`, `/ping/${ada.keys.pingKey}/job`]) {
      const { headers } = await app.http.get(path).expect(503, unavailable);
      expect(headers['retry-after']).toBe('5');
    }
    for (const request of [ada.get('/checks/'), ada.post('/checks/', {}), ada.get('/status/')]) {
      const { headers } = await request.expect(503, { error: unavailable });
      expect(headers['retry-after']).toBe('5');
    }
    relay.comeBack();
    await ada.ping({ uuid });
    expect((await ada.get(`/checks/${uuid}`).expect(200)).body.n_pings).toBe(2);
  });
});

describe('a full disk under SQLite', () => {
  let app: TestApp;
  let ada: Holder;

  beforeEach(async () => {
    app = await openTestApp(async (schema) => {
      const made = await createTestDatabase('sqlite', schema);
      cleanups.push(made.drop);
      return made;
    });
    cleanups.push(() => app.close());
    ada = await app.newProject();
  });

  const limitPages = (pages: number) =>
    app.database.transaction((tx) => tx.query(`pragma max_page_count = ${pages}`));

  test('causes 503 for writers, while readers are served', async () => {
    const { uuid } = await ada.check();
    const ping = () => app.http.post(`/ping/${uuid}`).type('text/plain').send('x'.repeat(10_000));
    await ping().expect(200);
    await limitPages(1);
    let stored = 1;
    let refused = await ping();
    // some fit into pages that exist
    for (; stored < 50 && refused.status === 200; stored += 1) refused = await ping();
    expect(refused).toMatchObject({ status: 503, text: unavailable });
    expect(refused.headers['retry-after']).toBe('5');
    await ada.post('/checks/', { desc: 'x'.repeat(50_000) }).expect(503, { error: unavailable });
    expect((await ada.get(`/checks/${uuid}`).expect(200)).body.n_pings).toBe(stored);
    const message = 'the database cannot be written: its disk is full';
    await app.http.get('/health/ready').expect(503, { error: message });
    await app.http.get('/health/live').expect(200);
    await limitPages(1_000_000);
    await app.http.get('/health/ready').expect(200);
    await ping().expect(200);
    expect((await ada.get(`/checks/${uuid}`).expect(200)).body.n_pings).toBe(stored + 1);
  });
});
