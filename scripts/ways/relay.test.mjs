import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const relay = fileURLToPath(new URL('relay.mjs', import.meta.url));

const listen = async (server) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
};

async function freePort() {
  const free = createServer();
  const port = await listen(free);
  free.close();
  return port;
}

/** A port at which a relay to the target answers. */
async function startRelay(t, targetPort, ...more) {
  const port = await freePort();
  const words = [relay, '127.0.0.1', String(port), `127.0.0.1:${targetPort}`, ...more];
  const child = spawn(process.execPath, words, { stdio: 'inherit' });
  t.after(() => child.kill());
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const [isUp] = await Promise.race([
      once(socket, 'connect').then(() => [true]),
      once(socket, 'error').then(() => [false]),
    ]).catch(() => [false]);
    socket.destroy();
    if (isUp) return port;
  }
}

test('a balancer names its own time for idle connections, not that of the service behind it', async (t) => {
  const service = createServer({ keepAliveTimeout: 20_000 }, (_, response) => response.end('{}'));
  t.after(() => service.close());
  const port = await startRelay(t, await listen(service), '--http');
  const response = await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(await response.text(), '{}');
  assert.equal(response.headers.get('keep-alive'), 'timeout=75');
});

test('a balancer passes a request that reached no replica to the next one, with its body', async (t) => {
  const service = createServer((incoming, response) => incoming.pipe(response));
  t.after(() => service.close());
  const running = `127.0.0.1:${await listen(service)}`;
  const port = await startRelay(t, await freePort(), running, '--http');
  for (const body of ['one', 'two', 'three']) {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
    assert.equal(await response.text(), body);
  }
});

test('a balancer sends no request on a connection that a replica may just close', async (t) => {
  const connections = new Set();
  const service = createServer((incoming, response) => {
    connections.add(incoming.socket.remotePort);
    response.end('{}');
  });
  t.after(() => service.close());
  const port = await startRelay(t, await listen(service), '--http');
  for (const _ of [1, 2, 3]) await (await fetch(`http://127.0.0.1:${port}/`)).text();
  assert.equal(connections.size, 3);
});

test('a published port passes on all of an answer whose connection ends with it', async (t) => {
  const body = 'x'.repeat(4_000_000);
  const service = createServer((_, response) => response.writeHead(200, { connection: 'close' }).end(body));
  t.after(() => service.close());
  const port = await startRelay(t, await listen(service));
  for (let round = 0; round < 5; round += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    assert.equal((await response.text()).length, body.length);
  }
});

test('a balancer ends the connection of a client whose answer breaks off', async (t) => {
  const service = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '10' }).flushHeaders();
    setImmediate(() => response.destroy());
  });
  t.after(() => service.close());
  const port = await startRelay(t, await listen(service), '--http');
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`).then((response) => response.text()));
});
