import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/database.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace } from '../support/inventory.js';
import { startWatchingMonitor } from '../support/monitor/watching-monitor.js';

describeEachDialect('health', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test.each(['/health', '/health/live', '/health/ready', '/health/'])(
    'is shown without credentials at %s',
    async (path) => {
      const { body } = await app.request.get(path).expect(200);
      expect(body).toEqual({
        status: 'ok',
        message: expect.stringMatching(/./),
        time: app.clock.now().toISOString(),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      });
      await app.request.head(path).expect(200);
    },
  );

  test('is shown with every credential', async () => {
    await app.request.get('/health').set('Authorization', 'Bearer nonsense').expect(200);
  });

  test('has no other method', async () => {
    const { headers } = await app.request.post('/health').expect(405);
    expect(headers['allow']).toBe('GET, HEAD');
  });
});

describeEachDialect('health during faults', (open) => {
  test('is alive but not ready once it is stopping', async () => {
    const app = await startApp(open);
    app.drain();
    const { body, headers } = await app.request.get('/health/ready').expect(503);
    expect(body).toMatchObject({ status: 503, code: 'unavailable', message: 'the service is stopping' });
    expect(headers['retry-after']).toMatch(/^\d+$/);
    await app.request.get('/health/live').expect(200);
    await app.request.get('/health').expect(200);
    await app.close();
  });

  test('reports an unavailable database', async () => {
    const { database } = await open(schema);
    const app = await startAppOn(database);
    await database.close();
    const { body } = await app.request.get('/health').expect(200);
    expect(body).toMatchObject({ status: 'degraded', message: 'the database does not answer' });
    await app.request.get('/health/ready').expect(503);
    await app.request.get('/health/live').expect(200);
  });
});

describeEachDialect('health with a monitor', (open) => {
  test('says since when the monitor responds or fails, and is ready in both cases', async () => {
    const monitor = await startWatchingMonitor();
    const app = await startApp(open, { environment: monitor.environment });
    const health = async () => (await app.request.get('/health').expect(200)).body as Record<string, unknown>;
    /** A run, then the moment at which the answer changed. */
    const run = async () => {
      app.clock.advance(60_000);
      await app.runRenewalJob();
      return app.clock.now().toISOString();
    };
    expect(await health()).not.toHaveProperty('monitor');
    const first = await run();
    await run();
    expect(await health()).toMatchObject({ status: 'ok', monitor: { answers: true, since: first } });
    monitor.failing = { path: /./, status: 503 };
    const lost = await run();
    await run();
    expect(await health()).toMatchObject({ status: 'ok', monitor: { answers: false, since: lost } });
    await app.request.get('/health/ready').expect(200);
    monitor.failing = undefined;
    const back = await run();
    expect(await health()).toMatchObject({ status: 'ok', monitor: { answers: true, since: back } });
    await app.close();
    await monitor.close();
  });
});

describeEachDialect('counts', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const statsOf = async (person = app.people.ada) => {
    const { body } = await app.request.get('/stats').set(person.auth).expect(200);
    return body as unknown;
  };

  test('are 0 at first', async () => {
    expect(await statsOf()).toEqual({ spaces: 0, fqdns: 0, csrs: 0 });
  });

  test('cover what the caller may read', async () => {
    const { ben, cleo } = app.people;
    const [one, two, empty] = [await addSpace(app), await addSpace(app), await addSpace(app)];
    const fqdn = await addFqdn(app, one.id);
    await addCsr(app, fqdn);
    await addCsr(app, fqdn);
    await addFqdn(app, one.id, 'b.example');
    await addCsr(app, await addFqdn(app, two.id));
    expect(await statsOf()).toEqual({ spaces: 3, fqdns: 3, csrs: 3 });
    expect(await statsOf(cleo)).toEqual({ spaces: 0, fqdns: 0, csrs: 0 });
    await grant(app, ben, 'READ', [one.id, empty.id]);
    expect(await statsOf(ben)).toEqual({ spaces: 2, fqdns: 2, csrs: 2 });
    await grant(app, ben, 'FULL_ACCESS', [two.id]);
    expect(await statsOf(ben)).toEqual({ spaces: 3, fqdns: 3, csrs: 3 });
    await app.request.delete(`/spaces/${one.id}?deleteFqdns=true`).set(app.people.ada.auth).expect(200);
    expect(await statsOf(ben)).toEqual({ spaces: 2, fqdns: 1, csrs: 1 });
  });

  test('are shown only to signed-in callers', async () => {
    await app.request.get('/stats').expect(401);
  });
});

describeEachDialect('the description of the API', (open) => {
  test('is a public OpenAPI document', async () => {
    const app = await startApp(open);
    const { body, headers } = await app.request.get('/openapi.json').expect(200);
    expect(headers['content-type']).toContain('application/json');
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0' } });
    expect(body.paths['/spaces/{id}/fqdns'].post.responses).toHaveProperty('409');
    await app.close();
  });
});
