import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listen } from './listen.js';

test('answers requests on connections that it has not accepted when it closes', async () => {
  const handler: Parameters<typeof listen>[0] = (_, response) => void response.end('answered');
  const { url, close } = await listen(handler, { host: '127.0.0.1', port: 0 });
  const clients = Array.from({ length: 5 }, () => {
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return text(client);
  });
  // they are connected after this tick, and accepted only when the event loop turns
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const closed = close();
  for (const answer of await Promise.all(clients)) expect(answer).toContain('answered');
  await closed;
});
