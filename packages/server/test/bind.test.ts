import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Listening } from '../src/index.js';
import { knownId as id, startThings, type Things, thingsUpTo } from './bound-things.js';

let things: Things;
let service: Listening;
beforeEach(async () => {
  things = { lines: [], counting: Promise.resolve(), isEnded: false };
  service = await startThings(things);
});
afterEach(() => service.close());

const call = () => request(service.url);

test('rejects an operation that times out, and ignores what it throws later', async () => {
  let fail = (_: Error): void => undefined;
  things.counting = new Promise((_, reject) => {
    fail = reject;
  });
  const { status, body } = await call().get('/things/count');
  expect([status, body.code]).toEqual([503, 'answer_too_late']);
  fail(new Error('too late'));
  expect((await call().get('/things?limit=1')).status).toBe(200);
});

describe('requests that a bound contract serves', () => {
  test('a default fills an absent query member', async () => {
    expect((await call().get('/things')).body).toEqual([{ id: 'all', name: '5' }]);
  });

  test('prefers a literal path to a parameter, and a text has its exact type', async () => {
    const response = await call().get('/things/count');
    expect([response.headers['content-type'], response.text ?? response.body.toString()]).toEqual([
      'text/x-count',
      expect.anything(),
    ]);
  });

  test('ignores an unknown query member of a documented operation', async () => {
    expect((await call().get(`/things/${id}?tag=x`)).status).toBe(200);
  });

  test.each([
    ['/things?limit=1&tag=x&offset=2', ['query.tag', 'query.offset'], 'limit'],
    ['/things/count?tag=x', ['query.tag'], 'no members here'],
    ['/things?tag%5B%5D=x', ['query.tag[]'], 'limit'],
  ])('names unknown query members of another operation: %s', async (path, members, known) => {
    const { status, body } = await call().get(path);
    const fields = members.map((member) => ({
      path: member,
      code: 'unknown_member',
      message: `is not known: this operation has ${known}`,
    }));
    expect([status, body.fields]).toEqual([400, fields]);
  });

  test('a uuid in capitals names the same object', async () => {
    expect((await call().get(`/things/${id.toUpperCase()}/`)).body).toEqual({ id, name: 'caller' });
  });

  test('answers HEAD like GET, without a body', async () => {
    const response = await call().head(`/things/${id}`);
    expect([response.status, response.text]).toEqual([200, undefined]);
  });

  test('sends the headers of a reply', async () => {
    const response = await call().post('/things').send({ name: ' é ' });
    expect([response.status, response.headers['location'], response.body.name]).toEqual([
      201,
      `/things/${id}`,
      'é',
    ]);
  });

  test('an optional body may be absent', async () => {
    expect((await call().delete(`/things/${id}`)).status).toBe(204);
  });

  test('receives raw bytes unchanged, of any type', async () => {
    const bytes = Buffer.from([0, 255, 10, 13]);
    const response = await call()
      .post('/echo')
      .set('Content-Type', 'text/plain')
      .send(bytes)
      .responseType('blob');
    expect(response.body).toEqual(bytes);
  });

  test('sends chunks in order, with the content type of the reply', async () => {
    const plain = await call().get('/numbers/2');
    expect([plain.headers['content-type'], plain.text]).toEqual(['text/plain', '1\n2\n']);
    expect((await call().get('/numbers/5')).headers['content-type']).toBe('text/csv');
    expect((await call().get('/numbers/0')).text).toBe('');
    expect((await call().head('/numbers/2')).status).toBe(200);
  });

  test('creates chunks only while the caller reads them', async () => {
    things.isEnded = false;
    const going = get(`${service.url}/numbers/1000000000`);
    const [answer] = (await once(going, 'response')) as [IncomingMessage];
    await once(answer, 'readable');
    going.destroy();
    while (!things.isEnded) await new Promise((resolve) => setImmediate(resolve));
    // a client that disconnects is not a fault of the service
    expect(things.lines.join('')).not.toContain('request.unexpected_error');
  });

  test('a failure at the first chunk is an error response, a later one aborts the response', async () => {
    expect((await call().get('/numbers/-1')).status).toBe(400);
    await expect(call().get('/numbers/3')).rejects.toThrow('aborted');
    expect(things.lines.some((line) => line.includes('request.unexpected_error'))).toBe(true);
  });

  test('receives a file and its fields together', async () => {
    const response = await call()
      .post('/things/upload')
      .field('name', 'n')
      .attach('thing', Buffer.from('abc'), 'f');
    expect(response.body).toEqual({ bytes: 3, name: 'n' });
  });

  test('uses the request id of the sender, and logs only the pattern of the path', async () => {
    const response = await call().get(`/things/${id}?secret=1`).set('X-Request-Id', 'abc-1');
    expect(response.headers['x-request-id']).toBe('abc-1');
    const line = JSON.parse(things.lines.at(-1) ?? '{}');
    expect(line).toMatchObject({ event: 'request', id: 'abc-1', route: '/things/{id}', status: 200 });
    expect(things.lines.join('')).not.toContain('secret');
  });
});

describe('compressed responses', () => {
  const ask = (path: string, encodings: string, method = 'GET') =>
    fetch(`${service.url}${path}`, { method, headers: { 'accept-encoding': encodings } });
  const thingsOf = async (response: Response) => ((await response.json()) as { id: string }[]).length;

  test.each([
    ['a list in one piece', 200, 'gzip, deflate', 'gzip'],
    ['a list in many pieces', 3_000, 'gzip, deflate', 'gzip'],
    ['a list in many pieces', 3_000, 'gzip, deflate, br', 'br'],
    ['a list in one piece', 200, 'gzip;q=0.5, br', 'br'],
    ['a list for a caller that accepts none', 200, 'identity', null],
    ['a list for a caller that refuses gzip', 3_000, 'gzip;q=0', null],
    ['a list of one packet', 20, 'gzip', null],
  ])('sends %s (%i members) with Accept-Encoding %s as %s', async (_, count, accepted, encoding) => {
    const response = await ask(`/many/${count}`, accepted);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(await thingsOf(response)).toBe(count);
  });

  test('sends the headers of GET for HEAD', async () => {
    for (const path of ['/many/200', '/many/3000']) {
      const [head, got] = await Promise.all([ask(path, 'gzip', 'HEAD'), ask(path, 'gzip')]);
      const names = ['content-encoding', 'content-length', 'content-type', 'vary'];
      const of = ({ headers }: Response) => names.map((name) => headers.get(name));
      expect([await head.text(), of(head)]).toEqual(['', of(got)]);
      await got.text();
    }
  });

  test('does not compress errors, or operations that the list does not name', async () => {
    const [other, refused] = [await ask('/numbers/5000', 'gzip'), await ask('/things/5', 'gzip')];
    expect([other, refused].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, null]);
    expect([(await other.text()).length, refused.status]).toEqual([23_893, 404]);
  });

  test('aborts a compressed list when a later chunk fails', async () => {
    const response = await ask('/many/4000', 'gzip');
    await expect(response.text()).rejects.toThrow();
  });
});

describe('requests that a bound contract rejects', () => {
  const sent = { 'Content-Type': 'application/json' };
  test.each([
    ['invalid JSON', '{"name":', 'body'],
    ['no body at all', '', 'body'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'body'],
    ['an array', '[]', 'body'],
    ['a missing member', '{}', 'name'],
    ['a member of another type', '{"name":5}', 'name'],
    ['null', '{"name":null}', 'name'],
    ['a text too long', '{"name":"123456"}', 'name'],
    ['a lone surrogate', '{"name":"\\ud800"}', 'name'],
    ['a control character', '{"name":"a\\u0000"}', 'name'],
    ['an integer too large to be one', '{"name":"a","size":1e400}', 'size'],
    ['nesting without end', `${'['.repeat(300)}${']'.repeat(300)}`, 'body'],
  ])('a body with %s: 400 that names %s', async (_, body, path) => {
    const response = await call()
      .post('/things')
      .set(sent)
      .serialize((x: unknown) => x as string)
      .send(body as string);
    expect([response.status, response.body.fields[0].path]).toEqual([400, path]);
  });

  test.each([
    ['of another type', '{"name":5}', 'invalid_type'],
    ['that is missing', '{}', 'required'],
    ['that is null', '{"name":null}', 'invalid_type'],
    ['that is empty', '{"name":" "}', 'empty'],
    ['that is too long', '{"name":"123456"}', 'too_long'],
  ])('a member %s has its specific code', async (_, body, code) => {
    const response = await call().post('/things').set(sent).send(body);
    expect(response.body.fields[0].code).toBe(code);
  });

  test('a compressed body: 415', async () => {
    const response = await call()
      .post('/things')
      .set(sent)
      .set('Content-Encoding', 'gzip')
      .send('{"name":"a"}');
    expect([response.status, response.body.message]).toEqual([415, 'the content encoding is not supported']);
  });

  test.each([
    ['a type that is not JSON', 'text/plain', 415],
    ['a charset in another word', 'application/json; charset=utf-8', 201],
    ['a derived JSON type', 'application/merge-patch+json', 201],
  ])('%s: %s → %i', async (_, type, status) => {
    const response = await call().post('/things').set('Content-Type', type).send('{"name":"a"}');
    expect(response.status).toBe(status);
  });

  test('a body over the limit: 413, and the connection stays open', async () => {
    const response = await call()
      .post('/things')
      .set(sent)
      .send(JSON.stringify({ name: 'x'.repeat(100_000) }));
    expect(response.status).toBe(413);
    expect((await call().get('/things/count')).status).toBe(200);
  });

  test.each([
    ['limit=0', 'below the bound'],
    ['limit=11', 'above the bound'],
    ['limit=1e1', 'not plain digits'],
    ['limit=', 'empty'],
    ['limit=1&limit=2', 'given twice'],
  ])('query %s (%s): 400 that names it', async (query) => {
    const response = await call().get(`/things?${query}`);
    expect([response.status, response.body.fields[0].path]).toEqual([400, 'query.limit']);
  });

  test.each([
    ['a path parameter that is not a UUID', '/things/5'],
    ['a path parameter that cannot be decoded', '/things/%zz'],
    ['an unknown path', '/nowhere'],
    ['a path in other letters', '/THINGS'],
    ['an endpoint without a handler yet', '/later'],
  ])('%s: 404', async (_, path) => {
    expect((await call().get(path)).status).toBe(404);
  });

  test('an unknown method of a path: 405 with Allow', async () => {
    const response = await call().put('/things');
    expect([response.status, response.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('checks the caller before the request', async () => {
    const response = await call().post('/things').set('X-Refuse', '1').set(sent).send('{');
    expect([response.status, response.body.message]).toEqual([403, 'refused first']);
  });

  test('an unexpected error: 500 without its text, which is logged', async () => {
    const response = await call().delete(`/things/${id}`).send({ why: 'fault' });
    expect([response.status, JSON.stringify(response.body)]).toEqual([
      500,
      expect.not.stringContaining('hunter2'),
    ]);
    expect(things.lines.some((line) => line.includes('request.unexpected_error'))).toBe(true);
  });

  test.each([
    ['no file', (r: request.Test) => r.field('name', 'n'), 400, 'thing'],
    [
      'a file under another name',
      (r: request.Test) => r.field('name', 'n').attach('other', Buffer.from('a'), 'f'),
      400,
      'thing',
    ],
    [
      'two files',
      (r: request.Test) => r.attach('thing', Buffer.from('a'), 'f').attach('thing', Buffer.from('b'), 'g'),
      400,
      'thing',
    ],
    [
      'a file over its limit',
      (r: request.Test) => r.field('name', 'n').attach('thing', Buffer.alloc(11), 'f'),
      413,
      'thing',
    ],
    ['a missing field', (r: request.Test) => r.attach('thing', Buffer.from('a'), 'f'), 400, 'name'],
    ['JSON instead of a form', (r: request.Test) => r.send({ name: 'n' }), 400, 'body'],
    [
      'a form without its boundary',
      (r: request.Test) => r.set('Content-Type', 'multipart/form-data').send('x'),
      400,
      'body',
    ],
  ])('an upload with %s', async (_, fill, status, path) => {
    const response = await fill(call().post('/things/upload'));
    expect([response.status, response.body.fields[0].path]).toEqual([status, path]);
  });
});

describe('a list', () => {
  test.each([0, 1, 249, 250, 251, 500, 1234])('of %i members is sent as one array of JSON', async (count) => {
    const { body, headers } = await call().get(`/many/${count}`).expect(200);
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual([...thingsUpTo(count, things)]);
    expect((await call().head(`/many/${count}`).expect(200)).headers['content-type']).toBe(
      'application/json',
    );
  });

  test('that is long is aborted when its caller disconnects', async () => {
    things.isEnded = false;
    const going = get(`${service.url}/many/1000000000`);
    const [answer] = (await once(going, 'response')) as [IncomingMessage];
    await once(answer, 'readable');
    going.destroy();
    await once(going, 'close');
    await call().get('/many/1').expect(200);
    while (!things.isEnded) await new Promise((resolve) => setImmediate(resolve));
  });

  test('that fails in the middle is aborted and does not look complete', async () => {
    await expect(call().get('/many/4000')).rejects.toThrow('aborted');
    expect(things.lines.join('')).toContain('lost count');
  });
});

test('aborts work whose caller disconnects, without logging an error', async () => {
  const going = get(`${service.url}/wait`);
  const closed = new Promise((resolve) => going.on('error', resolve));
  await once(going, 'socket');
  await call().get('/many/1').expect(200);
  going.destroy();
  await closed;
  await call().get('/many/1').expect(200);
  expect(things.lines.join('')).not.toContain('request.unexpected_error');
});
