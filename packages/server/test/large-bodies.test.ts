import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHttpApp, createLogger, receiveBytes, receiveUpload } from '../src/index.js';
import { openAccepted } from '../src/testing/accepted-sockets.js';

let server: Server;
/** The turns of the event loop, by their number, in which handlers received bodies. */
let received: number[];
let turns = 0;
let counting: NodeJS.Immediate;
beforeEach(async () => {
  received = [];
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  count();
  const app = createHttpApp({ logger: createLogger({ service: 't', level: 'error' }) });
  app.post('/bytes', async (request, response) => {
    await receiveBytes(request, response, 100_000);
    received.push(turns);
    response.end();
  });
  app.post('/upload', async (request, response) => {
    await receiveUpload(request, response, 'file', { fileBytes: 100_000 });
    received.push(turns);
    response.end();
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  clearImmediate(counting);
  server.close();
});

const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

test.each([
  ['bytes', 'application/json', 'x'.repeat(20_000)],
  ['upload', 'multipart/form-data; boundary=x', `${part}${'x'.repeat(20_000)}\r\n--x--\r\n`],
])('hands large bodies that arrive together to their handlers in turns of their own: %s', async (...call) => {
  const [path, type, body] = call;
  const sockets = await openAccepted(server, 5);
  const head = `POST /${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\n`;
  for (const socket of sockets) socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
  expect(received).toHaveLength(5);
  expect(new Set(received).size).toBe(5);
});
