import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { insertTestChannel } from '../support/factories.js';
import { describeMonitor } from '../support/suite.js';

const unknown = '00000000-0000-4000-8000-000000000000';
const runId = '0fa9b6cd-0c5b-4b3c-9b51-1d2f3a4b5c6d';

describeMonitor('ping by uuid', (stage) => {
  const statusOf = async ({ uuid }: { uuid: string }) => (await stage.ada.get(`/checks/${uuid}`)).body;
  const pingsOf = async ({ uuid }: { uuid: string }) =>
    (await stage.ada.get(`/checks/${uuid}/pings/`)).body.pings;

  test('a success marks a new check as up', async () => {
    const made = await stage.ada.check({ timeout: 600, grace: 120 });
    const { headers } = await stage.app.http.get(`/ping/${made.uuid}`).expect(200, 'OK');
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'ping-body-limit': '10000',
      'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
    });
    expect(await statusOf(made)).toMatchObject({
      status: 'up',
      n_pings: 1,
      last_ping: '2026-01-01T12:00:00+00:00',
      next_ping: '2026-01-01T12:10:00+00:00',
    });
  });

  test.each([
    ['', 'up', 'success'],
    ['/', 'up', 'success'],
    ['/fail', 'down', 'fail'],
    ['/start', 'new', 'start'],
    ['/log', 'new', 'log'],
    ['/0', 'up', 'success'],
    ['/007', 'down', 'fail'],
    ['/255', 'down', 'fail'],
    ['/start/', 'new', 'start'],
  ])('an address with %j: %s, logged as %s', async (suffix, status, type) => {
    const made = await stage.ada.check();
    await stage.ada.ping(made, suffix);
    expect((await statusOf(made)).status).toBe(status);
    expect(await pingsOf(made)).toMatchObject([{ type, n: 1 }]);
  });

  test('the uuid may be in upper case', async () => {
    const made = await stage.ada.check();
    await stage.app.http.get(`/ping/${made.uuid.toUpperCase()}`).expect(200, 'OK');
  });

  test('accepts an address with unnecessary percent-encoding, or in the absolute form', async () => {
    const { uuid } = await stage.ada.check();
    await stage.app.http.get(`/%70ing/${uuid}/%73tart`).expect(200);
    const { port } = stage.app.address();
    const sent = httpRequest({ port, path: `http://monitor.example/ping/${uuid}/fail` }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(200);
    expect(await stage.ada.get(`/checks/${uuid}`)).toMatchObject({ body: { status: 'down', n_pings: 2 } });
  });

  test('the log of pings contains the request', async () => {
    const made = await stage.ada.check();
    const sent = stage.app.http.post(`/ping/${made.uuid}/fail?rid=${runId.toUpperCase()}`);
    await sent.set('User-Agent', 'a'.repeat(300)).send('why').expect(200);
    expect(await pingsOf(made)).toEqual([
      {
        type: 'fail',
        date: '2026-01-01T12:00:00+00:00',
        n: 1,
        scheme: 'http',
        remote_addr: '127.0.0.1',
        method: 'POST',
        ua: 'a'.repeat(200),
        rid: runId,
        body_url: `https://monitor.example/api/v3/checks/${made.uuid}/pings/1/body`,
      },
    ]);
  });

  test('a run is timed from its start', async () => {
    const made = await stage.ada.check();
    await stage.ada.ping(made, `/start?rid=${runId}`);
    expect(await statusOf(made)).toMatchObject({ started: true, next_ping: '2026-01-01T12:00:00+00:00' });
    stage.app.clock.advance(2345);
    await stage.ada.ping(made, `?rid=${runId}`);
    expect(await statusOf(made)).toMatchObject({ started: false, last_duration: 2 });
    expect((await pingsOf(made))[0]).toMatchObject({
      n: 2,
      duration: 2.35,
      date: '2026-01-01T12:00:02.345000+00:00',
    });
  });

  test.each([
    ['an unknown check', `/ping/${unknown}`, 404, 'not found'],
    ['an unknown check with a bad exit status', `/ping/${unknown}/256`, 404, 'not found'],
    ['a word that is not a ping key', `/ping/${unknown}/abc`, 404, 'not found'],
    ['an upper-case slug', `/ping/${unknown}/START`, 400, 'invalid url format'],
    ['no address at all', '/ping/', 404, 'not found'],
  ])('%s', async (_situation, path, status, text) => {
    await stage.app.http.get(path).expect(status, text);
  });

  test('exit statuses and run ids are checked, and nothing is logged', async () => {
    const made = await stage.ada.check();
    const { headers } = await stage.app.http.get(`/ping/${made.uuid}/256`).expect(400, 'invalid url format');
    expect(headers['cache-control']).toContain('no-store');
    await stage.app.http.get(`/ping/${made.uuid}?rid=1`).expect(400, 'invalid uuid format');
    await stage.app.http.get(`/ping/${made.uuid}?rid=`).expect(400, 'invalid uuid format');
    expect(await pingsOf(made)).toEqual([]);
  });

  test('GET, HEAD, POST and PUT ping, a preflight does not, other methods are refused', async () => {
    const made = await stage.ada.check();
    const path = `/ping/${made.uuid}`;
    for (const method of ['get', 'head', 'post', 'put'] as const)
      await stage.app.http[method](path).expect(200);
    const { headers } = await stage.app.http.options(path).expect(204);
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, OPTIONS');
    const refused = await stage.app.http.delete(path).expect(405);
    expect(refused.headers['allow']).toBe('GET, HEAD, POST, PUT, OPTIONS');
    const methods = (await pingsOf(made)).map(({ method }: { method: string }) => method);
    expect(methods).toEqual(['PUT', 'POST', 'HEAD', 'GET']);
  });

  test('if only POST is accepted, other methods are logged and ignored', async () => {
    const made = await stage.ada.check({ methods: 'POST' });
    await stage.ada.ping(made);
    expect(await statusOf(made)).toMatchObject({ status: 'new', n_pings: 1, last_ping: null });
    expect(await pingsOf(made)).toMatchObject([{ type: 'ign' }]);
  });

  test('evaluates keywords in the body', async () => {
    const made = await stage.ada.check({ filter_http_body: true, success_kw: 'done', failure_kw: 'error' });
    const types = [];
    for (const text of ['done with an error', 'all done', 'hello']) {
      await stage.app.http.post(`/ping/${made.uuid}`).type('text/plain').send(text).expect(200);
      types.push((await pingsOf(made))[0].type);
    }
    expect(types).toEqual(['fail', 'success', 'ign']);
  });

  test('a forwarded address is ignored unless it comes from a trusted proxy', async () => {
    const made = await stage.ada.check();
    const sent = stage.app.http.get(`/ping/${made.uuid}`).set('X-Forwarded-For', '198.51.100.7');
    await sent.set('X-Forwarded-Proto', 'https').expect(200);
    expect(await pingsOf(made)).toMatchObject([{ remote_addr: '127.0.0.1', scheme: 'http' }]);
  });
});

describeMonitor('body of a ping', (stage) => {
  const bodyOf = (uuid: string, n: number | string) =>
    stage.ada.get(`/checks/${uuid}/pings/${n}/body`).buffer(true);

  test('is stored unchanged, up to the limit', async () => {
    const { uuid } = await stage.ada.check();
    const bytes = Buffer.concat([Buffer.from([0xff, 0x00, 0x0d, 0x0a]), Buffer.alloc(20_000, 'x')]);
    const path = `/ping/${uuid}`;
    await stage.app.http.post(path).set('Content-Type', 'multipart/form-data').send(bytes).expect(200);
    const { body, headers } = await bodyOf(uuid, 1)
      .parse((response, done) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => done(null, Buffer.concat(chunks)));
      })
      .expect(200);
    expect(headers['content-type']).toBe('text/plain');
    expect(Buffer.compare(body, bytes.subarray(0, 10_000))).toBe(0);
  });

  test('of a GET is stored too', async () => {
    const { uuid } = await stage.ada.check();
    await stage.app.http.get(`/ping/${uuid}`).type('text/plain').send('from a GET').expect(200);
    await bodyOf(uuid, 1).expect(200, 'from a GET');
  });

  test('returns 404 for an empty body, and for other numbers', async () => {
    const { uuid } = await stage.ada.check();
    await stage.ada.ping({ uuid });
    expect((await stage.ada.get(`/checks/${uuid}/pings/`)).body.pings[0].body_url).toBeNull();
    for (const n of ['1', '0', '2', '99999999999999999999']) await bodyOf(uuid, n).expect(404);
    await stage.ben.get(`/checks/${uuid}/pings/1/body`).expect(403);
  });

  test('of more than 2.5 MB is refused before it is sent', async () => {
    const { uuid } = await stage.ada.check();
    const { port } = stage.app.address();
    const status = await new Promise((resolve) => {
      const headers = { 'Content-Length': 2_621_441 };
      const sent = httpRequest({ port, path: `/ping/${uuid}`, method: 'POST', headers }, (answer) => {
        resolve(answer.statusCode);
        sent.destroy();
      });
      sent.on('error', () => undefined);
      sent.flushHeaders();
    });
    expect(status).toBe(400);
  });
});

describeMonitor('a huge body without Content-Length', (stage) => {
  test('is rejected, and the response arrives', async () => {
    const { uuid } = await stage.ada.check();
    const { port } = stage.app.address();
    const status = await new Promise((resolve, reject) => {
      const headers = { 'Transfer-Encoding': 'chunked' };
      const sent = httpRequest({ port, path: `/ping/${uuid}`, method: 'POST', headers }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode));
      });
      sent.on('error', reject);
      sent.end(Buffer.alloc(3_000_000, 'x'));
    });
    expect(status).toBe(400);
    expect((await stage.ada.get(`/checks/${uuid}`)).body.n_pings).toBe(0);
  });
});

describeMonitor('ping by slug', (stage) => {
  const path = (slug: string) => `/ping/${stage.ada.keys.pingKey}/${slug}`;

  test('finds the check of that slug', async () => {
    const made = await stage.ada.check({ slug: 'nightly' });
    await stage.app.http.get(path('nightly')).expect(200, 'OK');
    await stage.app.http.post(path('nightly/fail')).expect(200, 'OK');
    expect((await stage.ada.get(`/checks/${made.uuid}`)).body).toMatchObject({ status: 'down', n_pings: 2 });
  });

  test('returns 404 for other keys and other slugs', async () => {
    await stage.ben.check({ slug: 'theirs' });
    const { headers } = await stage.app.http.get(path('theirs')).expect(404, 'not found');
    expect(headers['cache-control']).toBeUndefined();
    await stage.app.http.get('/ping/nokey/theirs').expect(404, 'not found');
    await stage.app.http.get('/ping/nokey/Theirs').expect(400, 'invalid url format');
  });

  test('rejects a slug of several checks, also with create=1', async () => {
    await stage.ada.check({ slug: 'twin' });
    await stage.ada.check({ slug: 'twin' });
    await stage.app.http.get(path('twin')).expect(409, 'ambiguous slug');
    await stage.app.http.get(`${path('twin')}?create=1`).expect(409, 'ambiguous slug');
  });

  test('creates a check on demand, with all integrations', async () => {
    const channel = await insertTestChannel(stage.app, stage.ada.keys.projectId, 'ops');
    await stage.app.http.get(`${path('fresh')}?create=0`).expect(404);
    await stage.app.http.get(`${path('fresh')}?create=1`).expect(201, 'Created');
    await stage.app.http.get(`${path('fresh')}?create=1`).expect(200, 'OK');
    const { checks } = (await stage.ada.get('/checks/')).body;
    expect(checks).toMatchObject([
      { name: 'fresh', slug: 'fresh', timeout: 86_400, channels: channel, n_pings: 2, status: 'up' },
    ]);
  });

  test('creates none for a rejected ping', async () => {
    await stage.app.http.get(`${path('fresh')}/999?create=1`).expect(400, 'invalid url format');
    await stage.app.http.get(`${path('fresh')}?create=1&rid=x`).expect(400, 'invalid uuid format');
    await stage.app.http.get(`${path('x'.repeat(101))}?create=1`).expect(400, 'invalid url format');
    expect((await stage.ada.get('/checks/')).body.checks).toEqual([]);
  });

  test('creates up to twice as many as the limit', async () => {
    const carl = await stage.app.newProject({ checkLimit: 1 });
    for (const [slug, status] of [
      ['a', 201],
      ['b', 201],
      ['c', 404],
    ] as const) {
      await stage.app.http.get(`/ping/${carl.keys.pingKey}/${slug}?create=1`).expect(status);
    }
  });

  test('many concurrent pings create one check', async () => {
    const sent = Array.from({ length: 20 }, () => stage.app.http.get(`${path('once')}?create=1`));
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect((await stage.ada.get('/checks/')).body.checks).toMatchObject([{ n_pings: 20 }]);
  });
});

describeMonitor('many pings at once', (stage) => {
  test('200 to one check are numbered without gaps', async () => {
    const carl = await stage.app.newProject({ pingLimit: 1000 });
    const made = await carl.check();
    await Promise.all(Array.from({ length: 200 }, () => carl.ping(made)));
    const { pings } = (await carl.get(`/checks/${made.uuid}/pings/`)).body;
    expect(pings.map(({ n }: { n: number }) => n)).toEqual(
      Array.from({ length: 200 }, (_, index) => 200 - index),
    );
    expect((await carl.get(`/checks/${made.uuid}`)).body.n_pings).toBe(200);
  });

  test('success and failure in any order create one flip for each change of the status', async () => {
    const made = await stage.ada.check();
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => stage.ada.ping(made, index % 2 === 0 ? '' : '/fail')),
    );
    const ups = (await stage.ada.get(`/checks/${made.uuid}/flips/`)).body.map(({ up }: { up: number }) => up);
    expect(ups.every((up: number, index: number) => up !== ups[index + 1])).toBe(true);
  });
});

describeMonitor(
  'behind a trusted proxy',
  (stage) => {
    test('uses the forwarded address and scheme', async () => {
      const made = await stage.ada.check();
      const sent = stage.app.http
        .get(`/ping/${made.uuid}`)
        .set('X-Forwarded-For', '198.51.100.7:1234, 10.0.0.1');
      await sent.set('X-Forwarded-Proto', 'https').expect(200);
      const { pings } = (await stage.ada.get(`/checks/${made.uuid}/pings/`)).body;
      expect(pings).toMatchObject([{ remote_addr: '198.51.100.7', scheme: 'https' }]);
    });
  },
  { trustedProxies: ['127.0.0.0/8'] },
);
