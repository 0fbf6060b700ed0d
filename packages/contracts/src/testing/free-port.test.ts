import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { freePort } from './free-port.js';

test('skips ports that are taken, or reserved by a stack', async () => {
  for (const host of ['127.0.0.1', '127.0.0.2']) {
    const port = await freePort();
    const holder = createServer().listen(port, host);
    await once(holder, 'listening');
    const random = jest.spyOn(Math, 'random').mockReturnValueOnce(((port % 1000) + 0.5) / 1000);
    expect(await freePort()).not.toBe(port);
    random.mockRestore();
    holder.close();
  }
});
