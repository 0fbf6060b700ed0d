import { createRequire } from 'node:module';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../support/app.js';

const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string };

describeEachDialect('health', (open) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(open);
  });
  afterEach(() => app.close());

  const refused = async (error: string) => {
    const answer = await app.http.get('/health/ready').expect(503, { error });
    expect(answer.headers['retry-after']).toBe('5');
    await app.http.get('/health/live').expect(200);
  };

  test('is shown without a key, separately for liveness and readiness', async () => {
    await app.http.get('/health/live').expect(200, { status: 'ok', message: 'the process runs', version });
    await app.http
      .get('/health/ready/')
      .expect(200, { status: 'ok', message: 'requests are accepted', version });
    await app.http.head('/health/ready').expect(200);
    await app.http.post('/health/ready').expect(405).expect('Allow', 'GET, HEAD');
  });

  test('a service that stops is alive, but not ready', async () => {
    app.drain();
    await refused('the service is stopping');
  });

  test('a service with pending migrations is alive, but not ready', async () => {
    await app.database.revertLast();
    await refused('the database has migrations to run');
    await app.database.migrate();
    await app.http.get('/health/ready').expect(200);
  });
});
