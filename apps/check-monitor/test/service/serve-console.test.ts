import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uniqueKeyOf } from '../../src/checks/check.js';
import { cloakedLink } from '../../src/integrations/links/cloaked-link.js';
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

  test('is served with the API', async () => {
    const { text, headers } = await app.http.get('/ui/projects').expect(200);
    expect(text).toContain('<base href="/ui/">');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src/);
    expect((await app.http.get('/').set(html).expect(302)).headers['location']).toBe('/ui/');
    await app.http.get('/').expect(404);
    await app.http.get('/health/live').expect(200);
  });

  test('rejects other methods than GET and HEAD in the format of the API', async () => {
    const { body } = await app.http.post('/ui/').expect(405);
    expect(body).toEqual({ error: 'POST is not allowed here' });
  });

  test.each([
    ['/checks/0e5e2f0c-0000-4000-8000-000000000000/details/', 'checks/0e5e2f0c-0000-4000-8000-000000000000'],
    [
      '/projects/0e5e2f0c-0000-4000-8000-000000000000/checks/',
      'projects/0e5e2f0c-0000-4000-8000-000000000000',
    ],
    ['/accounts/login/', 'login'],
    [`/cloaked/${'a'.repeat(40)}/`, `checks/${'a'.repeat(40)}`],
    [`/cloaked/${'a'.repeat(40)}/?s=wrong`, `checks/${'a'.repeat(40)}`],
    ['/checks/..%2f..%2felsewhere/details/', 'checks/..%2F..%2Felsewhere'],
  ])('redirects %s to its page, and answers 404 without a console', async (path, page) => {
    const { headers } = await app.http.get(path).expect(302);
    expect(headers['location']).toBe(`/ui/${page}`);
    await bare.http.get(path).expect(404);
  });

  test('shows the page of a message link with a link to the console', async () => {
    const ada = await app.newProject();
    const { uuid } = await ada.check({ name: 'Backup' });
    const secret = 'a secret for tests only';
    const uniqueKey = uniqueKeyOf(uuid);
    const link = cloakedLink({ siteRoot: '', secret }, { uuid, uniqueKey });
    const { text } = await app.http.get(link).expect(200);
    expect(text).toContain(`<a href="/ui/checks/${uniqueKey}">Open in the console</a>`);
    await app.http.get('/cloaked/nothing/').expect(404);
  });

  test('returns 404 if it was not built', async () => {
    await bare.http.get('/').set(html).expect(404);
    await bare.http.get('/ui/').set(html).expect(404);
  });
});
