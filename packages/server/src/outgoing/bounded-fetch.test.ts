import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { boundedFetch } from './bounded-fetch.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(write: (respond: (chunk: string) => boolean, end: () => void) => void): Promise<string> {
  server = createServer((_, response) =>
    write(
      (chunk) => response.write(chunk),
      () => response.end(),
    ),
  );
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('returns a response of the maximum size completely', async () => {
  const url = await serve((write, end) => {
    write('x'.repeat(1000));
    end();
  });
  const answer = await boundedFetch(fetch, 1000)(url);
  expect(await answer.text()).toBe('x'.repeat(1000));
});

test('aborts a response that never ends', async () => {
  let sent = 0;
  const url = await serve((write) => {
    const more = () => {
      sent += 1000;
      write('x'.repeat(1000));
      if (sent < 10_000_000) setImmediate(more);
    };
    more();
  });
  await expect(boundedFetch(fetch, 100_000)(url)).rejects.toThrow('the answer is larger than 100000 bytes');
});
