import { connect } from 'node:net';
import { type Listening, listen } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerUnparsed } from '../../src/projects/unparsed-requests.responder.js';

let service: Listening;
beforeAll(async () => {
  service = await listen((_request, response) => response.end(), { host: '127.0.0.1', port: 0 });
  answerUnparsed(service.server);
});
afterAll(() => service.close());

/** All that the service says to a method that no HTTP parser knows. */
function answerTo(path: string): Promise<string[]> {
  return answerToText(`BREW ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
}

async function answerToText(text: string): Promise<string[]> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer.split('\r\n');
}

const uuid = '62e13f6b-a7b9-4926-8d1a-222222222222';

describe('an unknown method', () => {
  test('is rejected by the management API like other wrong methods, with CORS headers', async () => {
    expect(await answerTo(`/api/v2/checks/${uuid}?x=1`)).toEqual([
      'HTTP/1.1 405 Method Not Allowed',
      'Cache-Control: no-store',
      'Access-Control-Allow-Origin: *',
      'Access-Control-Allow-Headers: X-Api-Key, Content-Type',
      'Access-Control-Max-Age: 600',
      'Access-Control-Allow-Methods: GET, POST, DELETE, OPTIONS',
      'Allow: GET, POST, DELETE, HEAD, OPTIONS',
      'Content-Type: application/json',
      'Content-Length: 36',
      'Connection: close',
      '',
      '{"error":"BREW is not allowed here"}',
    ]);
  });

  test('is rejected by the ping API with a text', async () => {
    expect(await answerTo(`/ping/${uuid}`)).toEqual([
      'HTTP/1.1 405 Method Not Allowed',
      'Allow: GET, HEAD, POST, PUT, OPTIONS',
      'Content-Type: text/html; charset=utf-8',
      'Content-Length: 24',
      'Connection: close',
      '',
      'BREW is not allowed here',
    ]);
  });

  test.each(['/api/v3/checks/zzz', '/api/v4/checks/', '/api/v3/', '/'])('is 404 at %s', async (path) => {
    const [status, ...rest] = await answerTo(path);
    expect(status).toBe('HTTP/1.1 404 Not Found');
    expect(rest.some((line) => line.startsWith('Access-Control-'))).toBe(false);
  });
});

test('requests with two Host fields are rejected, for pings and the management API', async () => {
  for (const path of [`/ping/${uuid}`, '/api/v3/checks/']) {
    const [status] = await answerToText(`GET ${path} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`);
    expect(status).toBe('HTTP/1.1 400 Bad Request');
  }
});
