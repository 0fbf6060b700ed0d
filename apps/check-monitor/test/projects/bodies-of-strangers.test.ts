import { expect, test } from 'vitest';
import { describeMonitor } from '../support/suite.js';

/** An object of so many bytes that holds the key. */
function objectOf(bytes: number, key: string): string {
  const begin = `{"api_key":"${key}","x":"`;
  return `${begin}${'x'.repeat(bytes - begin.length - 2)}"}`;
}

const maxForKey = 65_536;
const maxForHolders = 2_621_440;
const wayOut = 'a body of more than 65536 bytes needs it in the header X-Api-Key';

describeMonitor('bodies of strangers', (stage) => {
  const post = (body: string, key?: string) => {
    const sent = stage.app.http.post('/api/v3/checks/').type('text/plain');
    if (key !== undefined) void sent.set('X-Api-Key', key);
    return sent.send(body);
  };

  test('a key in a body of 64 KiB counts, one in a larger body is not looked for', async () => {
    const { readWriteKey } = stage.ada.keys;
    await post(objectOf(maxForKey, readWriteKey)).expect(201);
    await post(objectOf(maxForKey + 1, readWriteKey)).expect(401, { error: `missing api key: ${wayOut}` });
  });

  test.each([
    ['unknown', 'x'.repeat(32), 'wrong api key'],
    ['too short', 'x', 'missing api key'],
    ['empty', '', 'missing api key'],
  ])('a body above 64 KiB with a key in the header that is %s is not parsed', async (_kind, key, error) => {
    await post(`{${'x'.repeat(maxForKey)}`, key).expect(401, { error });
    await post(`{${'x'.repeat(maxForKey - 1)}`, key).expect(400, { error: 'could not parse request body' });
  });

  test('a read-only key reads no large body where it may not write', async () => {
    const { readOnlyKey } = stage.ada.keys;
    await post('{', readOnlyKey).expect(400, { error: 'could not parse request body' });
    await post(objectOf(maxForKey + 1, 'x'), readOnlyKey).expect(401, { error: 'wrong api key' });
  });

  test('the holder of a key may send 2.5 MiB, with a length and in pieces', async () => {
    const { readWriteKey } = stage.ada.keys;
    await post(objectOf(maxForHolders, ''), readWriteKey).expect(201);
    const error = `request body is larger than ${maxForHolders} bytes`;
    await post(objectOf(maxForHolders + 1, ''), readWriteKey).expect(400, { error });
  });

  test('a body in pieces is read to the same bounds', async () => {
    const { address, port } = stage.app.address();
    const inPieces = async (body: string, headers: Record<string, string> = {}) => {
      const pieces = body.match(/.{1,40000}/gs) ?? [];
      const response = await fetch(`http://${address}:${port}/api/v3/checks/`, {
        method: 'POST',
        headers,
        body: ReadableStream.from(pieces.map((piece) => Buffer.from(piece))) as ReadableStream,
        duplex: 'half',
      } as RequestInit);
      return response.status;
    };
    expect(await inPieces(objectOf(maxForKey, stage.ada.keys.readWriteKey))).toBe(201);
    expect(await inPieces(objectOf(maxForKey + 1, stage.ada.keys.readWriteKey))).toBe(401);
    const headers = { 'X-Api-Key': stage.ada.keys.readWriteKey };
    expect(await inPieces(objectOf(maxForHolders, ''), headers)).toBe(201);
  });

  test.each([
    ['deep', '['.repeat(30_000), 'request body must not nest deeper than 20 levels'],
    ['divided', `{"a":[${'1.1,'.repeat(12_000)}1]}`, 'request body must not have more than 1000 values'],
  ])('a body that is too %s is rejected from every sender', async (_kind, body, error) => {
    await post(body).expect(400, { error });
    await post(body, 'x'.repeat(32)).expect(400, { error });
    await post(body, stage.ada.keys.readWriteKey).expect(400, { error });
  });

  test('a callback of more than 16 KiB is rejected, and one to no uuid is not read', async () => {
    const callback = (id: string, bytes: number) =>
      stage.app.http.post(`/api/v3/notifications/${id}/status`).type('form').send('x'.repeat(bytes));
    const uuid = '00000000-0000-4000-8000-000000000000';
    await callback(uuid, 16_384).expect(200, '');
    await callback(uuid, 16_385).expect(400, { error: 'the body is too large' });
    await callback('x', 16_385).expect(404);
  });
});

describeMonitor('answers of the management API', (stage) => {
  test.each([
    '/api/v1/checks/',
    '/api/v3/checks/',
    '/api/v3/status/',
    '/api/v2/nothing',
    '/api/account/state',
  ])('%s is not stored by caches, and is used by https only', async (path) => {
    const { headers } = await stage.ada.get(path);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});

describeMonitor(
  'a service without https',
  (stage) => {
    test('does not ask browsers for it', async () => {
      const { headers } = await stage.ada.get('/checks/');
      expect(headers).not.toHaveProperty('strict-transport-security');
    });
  },
  { addresses: { siteRoot: 'http://monitor.example', pingEndpoint: 'http://monitor.example/ping/' } },
);
