import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { cutHeader, openBalancer } from './balancer.mjs';

/** A replica whose server handles requests so, and notes them. */
async function openReplica(handle) {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  return { host: '127.0.0.1', port, isKilled: false, seen, close: () => server.close() };
}

describe('the balancer', () => {
  const replicas = [];
  let balancer;
  let echo;
  let dying;
  let gone;
  before(async () => {
    balancer = await openBalancer(0, replicas);
    echo = await openReplica((request, response) => request.pipe(response));
    dying = await openReplica((request) => request.socket.destroy());
    gone = await openReplica(() => undefined);
    await gone.close();
  });
  after(async () => {
    await balancer.close();
    for (const replica of [echo, dying]) replica.close();
  });
  beforeEach(() => {
    for (const replica of [echo, dying]) {
      replica.seen.length = 0;
      replica.isKilled = false;
    }
  });

  /** Two requests, so that each of two replicas is the first one once. */
  const sendTwice = async (method, ...chosen) => {
    replicas.splice(0, replicas.length, ...chosen);
    const send = () => fetch(`${balancer.url}/path`, { method, ...(method === 'POST' && { body: 'sent' }) });
    return [await send(), await send()];
  };
  const statusesOf = (responses) => responses.map(({ status }) => status).toSorted();

  it('sends a request that reached no replica to the next one, with its body', async () => {
    const responses = await sendTwice('POST', gone, echo);
    assert.deepEqual(await Promise.all(responses.map((response) => response.text())), ['sent', 'sent']);
  });

  it('sends a GET whose replica closed the connection to the next one', async () => {
    assert.deepEqual(statusesOf(await sendTwice('GET', dying, echo)), [200, 200]);
  });

  it('does not repeat a POST that was sent', async () => {
    assert.deepEqual(statusesOf(await sendTwice('POST', dying, echo)), [200, 502]);
    assert.deepEqual([echo.seen.length, dying.seen.length], [1, 1]);
  });

  it('marks the response only if its replica was killed', async () => {
    const marks = async () => (await sendTwice('POST', dying)).map(({ headers }) => headers.get(cutHeader));
    assert.deepEqual(await marks(), [null, null]);
    dying.isKilled = true;
    assert.deepEqual(await marks(), ['1', '1']);
  });
});
