import { connect } from 'node:net';
import { type Listening, listen } from '@certloop/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerUnparsed } from '../../src/http/unparsed-requests.responder.js';
import { startAppOnSqlite, type TestApp } from '../support/app.js';

let app: TestApp;
let service: Listening;
beforeAll(async () => {
  app = await startAppOnSqlite();
  service = await listen(app.http, { host: '127.0.0.1', port: 0 });
  answerUnparsed(service.server);
});
afterAll(async () => {
  await service.close();
  await app.close();
});

test('refuses a request with two Host fields as a problem, whatever comes with it', async () => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const { Authorization } = app.people.ada.auth;
  socket.write(`GET /spaces?x=1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${Authorization}\r\nHost: b\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(head).toContain('application/problem+json');
  expect(JSON.parse(body)).toMatchObject({
    status: 400,
    instance: '/spaces',
    message: 'the request has more than one Host field',
  });
});
