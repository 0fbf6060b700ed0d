import { connect } from 'node:net';
import { type Listening, listen } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerUnparsed } from '../../src/signing/unparsed-requests.responder.js';
import { startCa } from '../support/app.js';

let served: Listening;
beforeAll(async () => {
  served = await listen((await startCa()).http, { host: '127.0.0.1', port: 0 });
  answerUnparsed(served.server);
});
afterAll(() => served.close());

/** All that the service says to the given octets. */
async function answerTo(text: string): Promise<string> {
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

describe('requests that the HTTP parser rejects', () => {
  test('an unknown method is rejected like other wrong methods, in JSON on /csr', async () => {
    const [head = '', body] = (await answerTo('BREW /csr?x HTTP/1.1\r\nHost: x\r\n\r\n')).split('\r\n\r\n');
    expect(head.split('\r\n')).toEqual([
      'HTTP/1.1 405 Method Not Allowed',
      'Allow: POST',
      'Content-Type: application/json; charset=utf-8',
      'Content-Length: 36',
      'Connection: close',
    ]);
    expect(body).toBe('{"error":"BREW is not allowed here"}');
  });

  const long = 'x'.repeat(20_000);
  test.each([
    ['BREW /csr/ HTTP/1.1\r\nHost: x\r\n\r\n', '405', 'application/json'],
    ['brew /csr HTTP/1.1\r\nHost: x\r\n\r\n', '405', 'application/json'],
    ['CONNECT /csr HTTP/1.1\r\nHost: x\r\n\r\n', '405', 'application/json'],
    ['CONNECT example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n', '404', 'text/plain'],
    ['BREW /root HTTP/1.1\r\nHost: x\r\n\r\n', '405', 'text/plain'],
    ['BREW /x HTTP/1.1\r\nHost: x\r\n\r\n', '404', 'text/plain'],
    ['hello\r\n\r\n', '400', 'text/plain'],
    ['POST /csr HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', '400', 'application/json'],
    ['GET /root HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', '400', 'text/plain'],
    ['POST /csr HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', '400', 'application/json'],
    [`POST /csr HTTP/1.1\r\nHost: x\r\nX: ${long}\r\n\r\n`, '431', 'application/json'],
    [`GET /root HTTP/1.1\r\nHost: x\r\nX: ${long}\r\n\r\n`, '431', 'text/plain'],
  ])('%.50j returns %s in %s', async (text, status, type) => {
    const answer = await answerTo(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain(`Content-Type: ${type}`);
  });

  test('ignores an unknown expectation', async () => {
    const answer = await answerTo('GET /csr HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 405 [\s\S]*\{"error":/);
  });

  test('does not interrupt a response', async () => {
    const answer = await answerTo('GET /root HTTP/1.1\r\nHost: x\r\n\r\nBREW /csr HTTP/1.1\r\n\r\n');
    expect(answer).not.toContain('BREW');
  });
});
