import { expect, test } from 'vitest';
import { describeMonitor } from '../support/suite.js';

const unknown = '00000000-0000-4000-8000-000000000000';
const missing = { error: 'missing api key' };
const wrong = { error: 'wrong api key' };

describeMonitor('keys', (stage) => {
  const post = (path: string) => stage.app.http.post(`/api/v3${path}`).type('text/plain');

  test('a key of the wrong length counts as missing', async () => {
    await stage.app.http.get('/api/v3/checks/').expect(401, missing);
    await stage.app.http.get('/api/v3/checks/').set('X-Api-Key', 'x').expect(401, missing);
    await stage.app.http.get('/api/v3/checks/').set('X-Api-Key', 'x'.repeat(33)).expect(401, missing);
    await stage.app.http.get('/api/v3/checks/').set('X-Api-Key', 'x'.repeat(32)).expect(401, wrong);
  });

  test('the key is not read from the query, nor from the body of other methods', async () => {
    const key = stage.ada.keys.readWriteKey;
    await stage.app.http.get(`/api/v3/checks/?api_key=${key}`).expect(401, missing);
    const { uuid } = await stage.ada.check();
    await stage.app.http.delete(`/api/v3/checks/${uuid}`).send({ api_key: key }).expect(401, missing);
  });

  test('a header, even an empty one, takes precedence over the body', async () => {
    const body = JSON.stringify({ api_key: stage.ada.keys.readWriteKey });
    await post('/checks/').set('X-Api-Key', 'x'.repeat(32)).send(body).expect(401, wrong);
    await post('/checks/').set('X-Api-Key', '').send(body).expect(401, missing);
    await post('/checks/').send(body).expect(201);
  });

  test.each(['{"toString":1}', '[{"toString":null}]', '{}', 'null', 'true', '1e400'])(
    'a value in the body that is not text is not a key: %s',
    async (key) => {
      const sent = stage.app.http.post('/api/v3/checks/').type('text/plain').send(`{"api_key":${key}}`);
      await sent.expect(401, { error: 'missing api key' });
    },
  );

  test('rejects a key with characters that no database can store', async () => {
    const key = `hcw_\0${'a'.repeat(27)}`;
    await post('/checks/')
      .send(JSON.stringify({ api_key: key }))
      .expect(401, wrong);
  });

  test('rejects a body that is not a JSON object before it checks the key', async () => {
    await post('/checks/').send('{').expect(400, { error: 'could not parse request body' });
    await post('/checks/').send('[]').expect(400, { error: 'json validation error: value is not an object' });
    await post(`/checks/${unknown}/pause`).send(' ').expect(400, { error: 'could not parse request body' });
  });

  test('checks the key, then the existence of the check, then the parameters', async () => {
    await post(`/checks/${unknown}`).send('{"name":1}').expect(401, missing);
    await stage.ada.post(`/checks/${unknown}`, { name: 1 }).expect(404);
    const { uuid } = await stage.ben.check();
    await stage.ada.post(`/checks/${uuid}`, { name: 1 }).expect(403);
  });

  test('returns 404 for an impossible path before it checks the key', async () => {
    await stage.app.http.get('/api/v3/checks/nothing').expect(404);
    await stage.app.http.get('/api/v3/').expect(404);
  });

  test('a read-only key reads checks and flips, and nothing else', async () => {
    const { uuid } = await stage.ada.check();
    const key = stage.ada.keys.readOnlyKey;
    for (const path of ['/checks/', `/checks/${uuid}`, `/checks/${uuid}/flips/`]) {
      await stage.ada.peek(path).expect(200);
    }
    for (const path of ['/channels/', `/checks/${uuid}/pings/`, `/checks/${uuid}/pings/1/body`]) {
      await stage.ada.peek(path).expect(401, wrong);
    }
    for (const path of ['/checks/', `/checks/${uuid}`, `/checks/${uuid}/pause`, `/checks/${uuid}/resume`]) {
      await post(path).set('X-Api-Key', key).expect(401, wrong);
    }
    await stage.app.http.delete(`/api/v3/checks/${uuid}`).set('X-Api-Key', key).expect(401, wrong);
  });

  test('a key returns its project, and a read-write key revokes only itself', async () => {
    const { readWriteKey, readOnlyKey } = stage.ada.keys;
    const key = (method: 'get' | 'delete', value: string) =>
      stage.app.http[method]('/api/v3/key').set('X-Api-Key', value);
    const { body } = await key('get', readOnlyKey).expect(200);
    expect(body).toEqual({
      kind: 'read-only',
      project: { id: expect.any(String), name: expect.any(String) },
    });
    expect((await key('get', readWriteKey).expect(200)).body).toEqual({ ...body, kind: 'read-write' });
    await key('delete', readOnlyKey).expect(401, wrong);
    await key('delete', readWriteKey).expect(204);
    await key('get', readWriteKey).expect(401, wrong);
    await key('get', readOnlyKey).expect(200);
  });

  test('every error is JSON', async () => {
    const { headers } = await stage.app.http.get('/api/v3/checks/').expect(401);
    expect(headers['content-type']).toBe('application/json');
  });
});

describeMonitor('other origins and methods', (stage) => {
  test('a preflight needs no key and no check', async () => {
    const { headers } = await stage.app.http.options(`/api/v3/checks/${unknown}`).expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'X-Api-Key, Content-Type',
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      'access-control-max-age': '600',
    });
    await stage.app.http.options('/api/v3/nothing').expect(404);
  });

  test('responses and errors have the CORS headers, except for unknown UUIDs', async () => {
    const carries = async (path: string) => {
      const { headers } = await stage.ada.get(path);
      return headers['access-control-allow-origin'] === '*';
    };
    const { uuid } = await stage.ben.check();
    expect(await carries('/checks/')).toBe(true);
    expect(await carries(`/checks/${uuid}`)).toBe(true);
    expect(await carries(`/checks/${'a'.repeat(40)}`)).toBe(true);
    expect(await carries(`/checks/${unknown}`)).toBe(false);
    expect(await carries('/nothing')).toBe(false);
  });

  test.each([
    ['put', '/checks/', 'GET, POST, HEAD, OPTIONS'],
    ['put', `/checks/${unknown}`, 'GET, POST, DELETE, HEAD, OPTIONS'],
    ['post', `/checks/${'a'.repeat(40)}`, 'GET, HEAD, OPTIONS'],
    ['get', `/checks/${unknown}/pause`, 'POST, OPTIONS'],
    ['head', `/checks/${unknown}/resume`, 'POST, OPTIONS'],
    ['delete', '/channels/', 'GET, HEAD, OPTIONS'],
  ] as const)('%s %s is rejected with the allowed methods', async (method, path, allow) => {
    const { headers } = await stage.app.http[method](`/api/v3${path}`).expect(405);
    expect(headers['allow']).toBe(allow);
  });

  test('the status needs no key and accepts any method', async () => {
    for (const version of [1, 2, 3]) await stage.app.http.get(`/api/v${version}/status/`).expect(200, 'OK');
    await stage.app.http.post('/api/v3/status').expect(200, 'OK');
  });
});
