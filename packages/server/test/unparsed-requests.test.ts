import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerUnparsed,
  chosenRefusal,
  createLogger,
  type ErrorBody,
  type Listening,
  listen,
  onBrokenBody,
  plainHandler,
  receiveBeginning,
  sendText,
} from '../src/index.js';

let service: Listening;

const describeRefusal = (refusal: { status: number; message: string }, path: string): ErrorBody => {
  const { status, message } = refusal;
  return { contentType: 'application/json', body: { status, message, path } };
};

beforeAll(async () => {
  const handler = plainHandler({
    logger: createLogger({ service: 'test', level: 'silent' }),
    respond: async (request, response) => {
      if (request.url === '/beginning') await receiveBeginning(request, { keepBytes: 1, maxBytes: 100 });
      await new Promise((resolve, reject) => {
        onBrokenBody(request, reject);
        request.on('end', resolve).resume();
      });
      response.end('read');
    },
    // a body that breaks off reaches the handler, which responds in its own form
    refuse: (error, request, response) => {
      const refusal = chosenRefusal(error);
      if (refusal === undefined) throw error;
      const { contentType, body } = describeRefusal(refusal, request.url ?? '');
      sendText(response, refusal.status, { 'Content-Type': contentType }, JSON.stringify(body));
    },
  });
  service = await listen(handler, { host: '127.0.0.1', port: 0, requestTimeoutMs: 300 });
  answerUnparsed(service.server, {
    describe: describeRefusal,
    allowOf: (path) => (path === '/things' ? 'GET, HEAD' : undefined),
  });
});
afterAll(() => service.close());

/** Everything that comes back on a connection of its own. */
function send(text: string, url = service.url): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    let said = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    socket.on('end', () => resolve(said)).on('error', reject);
  });
}

const host = 'Host: a\r\n';

describe('requests that are broken or that no handler may get', () => {
  test.each([
    ['an unknown method', `FOO /things?x=1 HTTP/1.1\r\n${host}\r\n`, 405, '/things'],
    ['the same at an unknown path', `FOO /none HTTP/1.1\r\n${host}\r\n`, 404, '/none'],
    ['a tunnel', `CONNECT /things HTTP/1.1\r\n${host}\r\n`, 405, '/things'],
    [
      'header fields without end',
      `GET /things HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      '/things',
    ],
    ['bytes that are not a request', '\u0016\u0003\u0001 hello\r\n\r\n', 400, ''],
    ['two Host fields', 'GET /things?x=1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, '/things'],
    ['one Host field twice', 'GET /things HTTP/1.1\r\nHost: a\r\nX: y\r\nhOST: a\r\n\r\n', 400, '/things'],
    [
      'two Host fields and a body',
      'POST /things HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 1\r\n\r\nx',
      400,
      '/things',
    ],
    [
      'an invalid chunk',
      `POST /things HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
      '/things',
    ],
    [
      'a body that does not come',
      `POST /things HTTP/1.1\r\n${host}Content-Length: 9\r\n\r\nx`,
      408,
      '/things',
    ],
    [
      'a body that does not come, to a handler that reads its beginning',
      `POST /beginning HTTP/1.1\r\n${host}Content-Length: 9\r\n\r\nxy`,
      408,
      '/beginning',
    ],
    [
      'an invalid chunk, to a handler that reads its beginning',
      `POST /beginning HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\nzz\r\n`,
      400,
      '/beginning',
    ],
  ])('%s', async (_, text, status, path) => {
    const [head, body] = (await send(text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(body ?? '')).toMatchObject({ status, path });
    if (status === 405) expect(head).toContain('Allow: GET, HEAD');
  });

  test('answers nothing else on a connection after two Host fields', async () => {
    const two = 'GET /things HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
    const answers = await send(`${two}GET /things HTTP/1.1\r\n${host}\r\n`);
    expect(answers.match(/HTTP\/1\.1/g)).toEqual(['HTTP/1.1']);
  });

  test('two Host fields after a valid request do not affect its response', async () => {
    const two = 'GET /things HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
    const answers = await send(`GET /things HTTP/1.1\r\n${host}\r\n${two}`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  test('answers 400 to two Host fields even if the app does not format errors', async () => {
    const bare = await listen((_, response) => response.end('read'), { host: '127.0.0.1', port: 0 });
    const said = await send('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', bare.url);
    expect(said).toMatch(/^HTTP\/1.1 400 /);
    expect(said).not.toContain('read');
    await bare.close();
  });

  test('ignores an unknown expectation', async () => {
    const text = `GET /things HTTP/1.1\r\n${host}Expect: magic\r\nConnection: close\r\n\r\n`;
    expect(await send(text)).toMatch(/^HTTP\/1.1 200 [\s\S]*read/);
  });
});
