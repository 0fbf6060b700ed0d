import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAppOnSqlite, type TestApp } from '../support/app.js';

const html = { Accept: 'text/html,*/*;q=0.8' };

describe('the console', () => {
  let folder: string;
  let app: TestApp;
  let bare: TestApp;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certloop-console-'));
    await writeFile(join(folder, 'index.html'), '<html><head></head><body>console</body></html>');
    const environment = { CERT_MANAGER_PUBLIC_URL: 'https://example.org/certs' };
    app = await startAppOnSqlite({ consoleFolder: folder, environment });
    bare = await startAppOnSqlite();
  });
  afterAll(async () => {
    await app.close();
    await bare.close();
    await rm(folder, { recursive: true });
  });

  test('is served with a policy for its pages instead of that of the API', async () => {
    const { text, headers } = await app.request.get('/ui/spaces').expect(200);
    expect(text).toContain('<base href="/certs/ui/">');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src/);
    expect(headers['cache-control']).toBe('no-store');
    const stats = await app.request.get('/health');
    expect(stats.headers['content-security-policy']).toMatch(/^default-src 'self'/);
  });

  test('is the target of a redirect from the root for browsers', async () => {
    const { headers } = await app.request.get('/').set(html).expect(302);
    expect(headers['location']).toBe('/certs/ui/');
    const { body } = await app.request.get('/').expect(404);
    expect(body.code).toBe('not_found');
  });

  test('rejects other methods than GET and HEAD in the format of the API', async () => {
    const { body, headers } = await app.request.post('/ui/spaces').expect(405);
    expect(headers['allow']).toBe('GET, HEAD');
    expect(body.code).toBe('method_not_allowed');
  });

  test('returns 404 if it was not built', async () => {
    await bare.request.get('/').set(html).expect(404);
    await bare.request.get('/ui/').set(html).expect(404);
    await bare.request.get('/ui').set(html).expect(404);
  });
});
