import { createHash } from 'node:crypto';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { startAcme } from '../support/acme.js';
import { startCa } from '../support/app.js';

const html = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('GET / of a browser', () => {
  test('shows the root, the stored counts, and commands with the requested address', async () => {
    const ca = await startCa();
    await ca.issue();
    const page = await request(ca.http)
      .get('/')
      .set({ Accept: html, Host: 'ca.example.test:3002' })
      .expect(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('Test authority: trust it in a lab only.');
    expect(page.text).toContain(ca.root.fingerprint256);
    expect(page.text).toContain('<dt>Certificates stored</dt><dd>1</dd>');
    expect(page.text).toContain('<dt>ACME directory</dt><dd>not served</dd>');
    expect(page.text).toContain('http://ca.example.test:3002/csr</pre>');
    expect(Buffer.byteLength(page.text)).toBeLessThan(6 * 1024);
  });

  test('shows the directory if ACME is served', async () => {
    const { url, close } = await startAcme();
    const text = await (await fetch(`${url}/`, { headers: { Accept: html } })).text();
    await close();
    expect(text).toContain(`<a href="${url}/acme/directory">${url}/acme/directory</a>`);
  });

  test('allows its own style and nothing else, by a policy that matches it', async () => {
    const ca = await startCa();
    const page = await request(ca.http).get('/').set('Accept', html);
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(page.text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = page.headers['content-security-policy'];
    expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(page.text).not.toMatch(/<script| style=| on\w+=/);
    expect(page.headers['x-content-type-options']).toBe('nosniff');
  });

  test('shows the name of the root as text, for any content', async () => {
    const ca = await startCa({ commonName: '<b>"Änne" & Söhne</b>' });
    const { text } = await request(ca.http).get('/').set('Accept', html).expect(200);
    expect(text).toContain('Änne');
    expect(text).not.toContain('<b>');
  });

  test.each(['*/*', 'application/json', 'application/json, text/html'])(
    'is not returned for %s',
    async (accept) => {
      const ca = await startCa();
      const { body } = await request(ca.http).get('/').set('Accept', accept).expect(404);
      expect(body).toEqual(expect.any(Object));
    },
  );

  test('rejects an invalid Host', async () => {
    const ca = await startCa();
    await request(ca.http).get('/').set({ Accept: html, Host: '"><script>' }).expect(400);
  });
});
