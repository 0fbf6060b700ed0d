import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { faultsOfCosts, measureCalls } from './call-costs.js';

test.each([
  ['drops', []],
  ['stores', [expect.stringMatching(/^the memory grew by \d+ bytes$/)]],
])('finds that a service %s the bodies of requests', async (way, faults) => {
  const stored: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (way === 'stores') stored.push(body);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const call = { name: 'store', method: 'POST', path: '/', maxBytes: 2_000_000 };
  const costs = await measureCalls({
    port,
    calls: [call],
    beside: ['/'],
    allowedMs: Number.POSITIVE_INFINITY,
  });
  expect(faultsOfCosts(costs)).toEqual(faults);
  server.close();
});
