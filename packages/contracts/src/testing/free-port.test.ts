import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.js';

test('skips ports that are taken, or reserved by a stack', async () => {
  for (const host of ['127.0.0.1', '127.0.0.2']) {
    const port = await freePort();
    const following = port % 1000 === 999 ? port - 999 : port + 1;
    const holder = createServer().listen(following, host);
    // if it fails, another program has the port: then it is taken as well
    await once(holder, 'listening').catch(() => undefined);
    expect(await freePort()).not.toBe(following);
    holder.close();
  }
});

test('returns no port twice, as programs take theirs later', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, freePort));
  expect(new Set(ports).size).toBe(100);
});
