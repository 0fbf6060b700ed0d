import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchFrom } from './fetch.js';

let origin: string;
let begun: ServerResponse | undefined;
/** No call gets a response, except one whose body the test ends. */
const server = createServer((request, response) => {
  if (request.url !== '/long') return;
  begun = response;
  response.write('begun, ');
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const timedOut = () => AbortSignal.abort(new DOMException('it took too long', 'TimeoutError'));

test.each([
  ['cert-manager', 'GET', undefined, 40_000],
  ['cert-manager', 'POST', undefined, 150_000],
  ['dummy-ca', 'GET', undefined, 40_000],
  ['check-monitor', 'GET', undefined, 10_000],
  ['check-monitor', 'POST', undefined, 10_000],
  ['cert-manager', 'GET', 5_000, 5_000],
  ['check-monitor', 'POST', 120_000, 120_000],
])(
  'a silent %s is given up at %s with the limit %s after %d ms',
  async (service, method, limitMs, expected) => {
    const waited: number[] = [];
    const after = (ms: number) => {
      waited.push(ms);
      const controller = new AbortController();
      setImmediate(() => controller.abort(timedOut().reason));
      return controller.signal;
    };
    await expect(
      fetchFrom(service, { limitMs, after })(`${origin}/silent`, { method }),
    ).rejects.toMatchObject({
      kind: 'upstream_failed',
      message: `${service} at ${origin} does not answer: no answer in time; try again, check the service, or wait longer with --request-timeout`,
    });
    expect(waited).toEqual([expected]);
  },
);

test('a response that has begun may take longer', async () => {
  const limit = new AbortController();
  const response = await fetchFrom('cert-manager', { after: () => limit.signal })(`${origin}/long`);
  limit.abort(timedOut().reason);
  begun?.end('and ended');
  expect(await response.text()).toBe('begun, and ended');
});
