import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Express } from 'express';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createHttpApp,
  createLogger,
  errorHandler,
  findConsole,
  refuseUnknownPath,
  webConsole,
} from '../src/index.js';

const script = 'export const page = "ledger";'.repeat(20);
const html = `<!doctype html><html lang="en"><head><base href="/elsewhere/"><meta charset="utf-8">
<meta property="csp-nonce" nonce="placeholder"><script type="module" src="./assets/main-1a2b3c4d.js"></script>
</head><body><div id="root"></div></body></html>`;

let folder: string;
let app: Express;
const routes: unknown[] = [];

function appWith(publicUrl?: string): Express {
  const write = (line: string) => void routes.push(JSON.parse(line).route);
  const logger = createLogger({ service: 'test', level: 'info', destination: { write } });
  const http = createHttpApp({ logger });
  http.use(webConsole({ folder: join(folder, 'dist'), publicUrl }));
  http.use(refuseUnknownPath);
  http.use(
    errorHandler({ logger, describe: ({ message }) => ({ contentType: 'text/plain', body: message }) }),
  );
  return http;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-console-'));
  const assets = join(folder, 'dist', 'assets');
  await mkdir(assets, { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'out of reach');
  await writeFile(join(folder, 'dist', 'index.html'), html);
  await writeFile(join(assets, 'main-1a2b3c4d.js'), script);
  await writeFile(join(assets, 'main-1a2b3c4d.js.br'), brotliCompressSync(script));
  await writeFile(join(assets, 'main-1a2b3c4d.js.gz'), gzipSync(script));
  await writeFile(join(assets, 'mark-5e6f7a8b.png'), 'a picture');
  app = appWith();
});

afterAll(() => rm(folder, { recursive: true }));

/** Nonces of the page and of its policy. */
function noncesOf({ text, headers }: request.Response): string[] {
  const inPolicy = /'nonce-([^']+)'/.exec(headers['content-security-policy'] ?? '')?.[1] ?? '';
  return [inPolicy, ...[...text.matchAll(/nonce="([^"]*)"/g)].map(([, nonce = '']) => nonce)];
}

describe('the index of a console', () => {
  test.each(['/ui/', '/ui/spaces/1', '/ui/check?q=a', '/ui/deep/er/page/', '/ui/file.html'])(
    'answers %s',
    async (path) => {
      const { text, headers } = await request(app).get(path).expect(200);
      expect(text).toContain('<div id="root">');
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(routes.at(-1)).toBe('/ui/{page}');
    },
  );

  test('has the content security policy of a page, with a new nonce in every response', async () => {
    const first = await request(app).get('/ui/');
    const second = await request(app).get('/ui/');
    const [policy, meta] = noncesOf(first);
    expect(policy).toMatch(/^[\w-]{22}$/);
    expect(meta).toBe(policy);
    expect(noncesOf(second)[0]).not.toBe(policy);
    expect(first.text).not.toContain('placeholder');
    expect(first.headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${policy}'; img-src 'self' data: blob:; font-src 'self'; ` +
        "connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(first.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  test.each([
    [undefined, '/ui/'],
    ['https://certs.example.org', '/ui/'],
    ['https://example.org/certs/', '/certs/ui/'],
  ])('with the public address %s has the base %s', async (publicUrl, base) => {
    const { text } = await request(appWith(publicUrl)).get('/ui/');
    expect(text.match(/<base[^>]*>/g)).toEqual([`<base href="${base}">`]);
    expect(text.indexOf('<base')).toBeLessThan(text.indexOf('src='));
  });

  test('is served at the path with a slash', async () => {
    const { headers } = await request(app).get('/ui').expect(301);
    expect(headers['location']).toBe('ui/');
  });

  test('is the target of the redirect from the root, also below the path of a proxy', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const { headers } = await request(app).get('/').set('Accept', accept).expect(302);
    expect(headers).toMatchObject({ location: '/ui/', vary: 'Accept' });
    const below = await request(appWith('https://example.org/certs')).get('/').set('Accept', accept);
    expect(below.headers['location']).toBe('/certs/ui/');
  });

  test.each(['*/*', 'application/json', 'application/json, text/html;q=0.9', ''])(
    'is not the target of a redirect from the root for Accept: %s',
    async (accept) => {
      await request(app).get('/').set('Accept', accept).expect(404);
    },
  );

  test('answers HEAD without a body', async () => {
    const { text, headers } = await request(app).head('/ui/spaces').expect(200);
    expect(text ?? '').toBe('');
    expect(headers['cache-control']).toBe('no-store');
  });

  test.each(['/ui', '/ui/', '/ui/spaces', '/ui/assets/main-1a2b3c4d.js'])('rejects POST %s', async (path) => {
    const { headers } = await request(app).post(path).expect(405);
    expect(headers['allow']).toBe('GET, HEAD');
  });

  test.each(['/UI/', '/uix', '/ui.html'])('does not handle %s', async (path) => {
    await request(app).get(path).expect(404);
  });
});

describe('an asset of a console', () => {
  const path = '/ui/assets/main-1a2b3c4d.js';

  test.each([
    ['br, gzip', 'br', brotliCompressSync(script)],
    // the order of browsers
    ['gzip, deflate, br, zstd', 'br', brotliCompressSync(script)],
    ['gzip, br', 'br', brotliCompressSync(script)],
    ['*', 'br', brotliCompressSync(script)],
    ['gzip', 'gzip', gzipSync(script)],
    ['br;q=0, gzip', 'gzip', gzipSync(script)],
    ['identity', undefined, Buffer.from(script)],
    ['zstd', undefined, Buffer.from(script)],
  ])('for Accept-Encoding: %s is sent as %s', async (accepted, encoding, bytes) => {
    const { headers } = await request(app).get(path).set('Accept-Encoding', accepted).expect(200);
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(headers).toMatchObject({
      vary: 'Accept-Encoding',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(routes.at(-1)).toBe('/ui/assets/{name}');
  });

  test('is sent completely', async () => {
    const { text } = await request(app).get(path).set('Accept-Encoding', 'gzip');
    expect(text).toBe(script);
    expect(gunzipSync(gzipSync(text)).toString()).toBe(script);
  });

  test('is sent uncompressed if no compressed file exists', async () => {
    const { headers, body } = await request(app).get('/ui/assets/mark-5e6f7a8b.png').expect(200);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['content-type']).toBe('image/png');
    expect(String(body)).toBe('a picture');
  });

  test.each([
    'main-00000000.js',
    'main-1a2b3c4d.js.br',
    '../index.html',
    '..%2findex.html',
    '..%2f..%2fsecret.txt',
    '%2e%2e/%2e%2e/secret.txt',
    '..%5c..%5csecret.txt',
    'main-1a2b3c4d.js%00',
    '__proto__',
    '',
  ])('answers 404 for %s, never the index', async (name) => {
    const answer = await request(app).get(`/ui/assets/${name}`);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('root');
    expect(answer.text).not.toContain('out of reach');
  });
});

describe('the folder of a console', () => {
  test('is found by its package once it is built', async () => {
    const home = join(folder, 'node_modules', '@certloop', 'web-test');
    const from = join(folder, 'main.js');
    expect(findConsole('@certloop/web-test', from)).toBeUndefined();
    await mkdir(join(home, 'dist'), { recursive: true });
    await writeFile(join(home, 'package.json'), '{"name":"@certloop/web-test","version":"1.0.0"}');
    expect(findConsole('@certloop/web-test', from)).toBeUndefined();
    await writeFile(join(home, 'dist', 'index.html'), html);
    expect(findConsole('@certloop/web-test', from)).toBe(join(home, 'dist'));
  });
});
