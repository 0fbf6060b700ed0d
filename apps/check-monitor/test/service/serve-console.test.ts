import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openTestApp, type TestApp } from '../support/app.js';

const html = { Accept: 'text/html,*/*;q=0.8' };

describeEachDialect('the console', (open) => {
  let folder: string;
  let app: TestApp;
  let bare: TestApp;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'certloop-console-'));
    writeFileSync(join(folder, 'index.html'), '<html><head></head><body>console</body></html>');
    app = await openTestApp(open, {}, { consoleFolder: folder });
    bare = await openTestApp(open);
  });
  afterAll(async () => {
    await app.close();
    await bare.close();
    rmSync(folder, { recursive: true });
  });

  test('is served beside the API', async () => {
    const { text, headers } = await app.http.get('/ui/projects').expect(200);
    expect(text).toContain('<base href="/ui/">');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src/);
    expect((await app.http.get('/').set(html).expect(302)).headers['location']).toBe('/ui/');
    await app.http.get('/').expect(404);
    await app.http.get('/health/live').expect(200);
  });

  test('refuses what is no reading in the format of the API', async () => {
    const { body } = await app.http.post('/ui/').expect(405);
    expect(body).toEqual({ error: 'POST is not allowed here' });
  });

  test('is not there when it was not built', async () => {
    await bare.http.get('/').set(html).expect(404);
    await bare.http.get('/ui/').set(html).expect(404);
  });
});
