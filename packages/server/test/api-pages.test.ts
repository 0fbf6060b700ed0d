import { connect } from 'node:net';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  apiPages,
  createHttpApp,
  createLogger,
  errorHandler,
  type Listening,
  listen,
  refuseUnknownPath,
} from '../src/index.js';

const document = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths: {} };
const logger = createLogger({ service: 'test', level: 'silent' });
const app = createHttpApp({ logger });
app.use(apiPages({ title: 'Things <& more>', document: () => document }));
app.use(refuseUnknownPath);
app.use(errorHandler({ logger, describe: ({ message }) => ({ contentType: 'text/plain', body: message }) }));

let service: Listening;

beforeAll(async () => {
  service = await listen(app, { host: '127.0.0.1', port: 0 });
});

afterAll(async () => service.close());

/** Addresses that the page loads, relative to it. */
async function addressesOnPage(): Promise<string[]> {
  const { text } = await request(app).get('/docs/').expect(200);
  return [...text.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)].map(([, address = '']) => address);
}

describe('the pages of an API', () => {
  test('start at the address with a slash', async () => {
    const { headers } = await request(app).get('/docs').expect(301);
    expect(headers['location']).toBe('docs/');
  });

  test('are one page with its own content security policy', async () => {
    const { text, headers } = await request(app).get('/docs/').expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-security-policy']).toContain("script-src 'self';");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(text).toContain('<title>Things &lt;&amp; more&gt;</title>');
    expect(text).not.toMatch(/<script(?! src=)|style=|\bon\w+=|https?:/);
  });

  test('load only assets of this service, which are cached forever', async () => {
    const addresses = await addressesOnPage();
    expect(addresses).toHaveLength(5);
    for (const address of addresses) {
      const { headers } = await request(app).get(`/docs/${address}`).expect(200);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-type']).toMatch(/^(text\/(javascript|css); charset=utf-8|image\/png)$/);
      expect(headers['content-encoding']).toBe('gzip');
    }
  });

  test('send uncompressed assets to clients that ask for them', async () => {
    const [, sheet] = await addressesOnPage();
    const { headers } = await request(app)
      .get(`/docs/${sheet}`)
      .set('Accept-Encoding', 'identity')
      .expect(200);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['vary']).toBe('Accept-Encoding');
  });

  test('are served with the OpenAPI description', async () => {
    const { body, headers } = await request(app).get('/openapi.json').expect(200);
    expect(body).toEqual(document);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test.each([
    ['a name that none of the files has', 'folder/package.json'],
    ['a folder of before', '0000000000000000/page.js'],
    ['a path out of the folder', 'folder/..%2fpackage.json'],
    ['a path out of it, encoded twice', 'folder/..%252f..%252fpackage.json'],
    ['dots as they are', 'folder/../../../package.json'],
    ['a null octet', 'folder/page.js%00.png'],
    ['a reversed slash', 'folder/..%5cpackage.json'],
  ])('do not exist for %s', async (_name, path) => {
    const [first = ''] = await addressesOnPage();
    const target = `/docs/${path.replace('folder', first.split('/')[0] ?? '')}`;
    expect(await statusOf(target)).toBe(404);
  });
});

/** Status of a request whose path is sent exactly as given. */
async function statusOf(path: string): Promise<number> {
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
}
