import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addToken } from '../support/factories.js';
import { signIn } from '../support/people.js';

async function addressOf(app: TestApp, forwardedFor: string): Promise<string> {
  await app.request.post('/audit-logs/test').set(app.people.ada.auth).set('X-Forwarded-For', forwardedFor);
  const { body } = await app.request.get('/audit-logs?limit=1').set(app.people.ada.auth);
  return body.logs[0].ipAddress;
}

describeEachDialect('the origin of a request behind no proxy', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test('is the address of the connection, whatever the headers say', async () => {
    expect(await addressOf(app, '203.0.113.9')).toBe('127.0.0.1');
  });

  test('is stored with its browser, shortened and without control characters', async () => {
    await app.request
      .post('/audit-logs/test')
      .set(app.people.ada.auth)
      .set('User-Agent', `tab\there ${'x'.repeat(400)}`);
    const { body } = await app.request.get('/audit-logs?limit=1').set(app.people.ada.auth);
    expect(body.logs[0].userAgent).toMatch(/^tab here x+$/);
    expect(body.logs[0].userAgent).toHaveLength(256);
  });
});

describeEachDialect('the origin of a request behind a proxy that is trusted', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, {
      environment: {
        CERT_MANAGER_TRUSTED_PROXIES: '127.0.0.0/8, ::1',
        CERT_MANAGER_PUBLIC_URL: 'https://certs.example.org/',
      },
    });
  });
  afterAll(() => app.close());

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['fe80::1%eth0', 'fe80::1'],
    ['nonsense', ''],
  ])('is the address that the proxy sends: %s', async (forwardedFor, address) => {
    expect(await addressOf(app, forwardedFor)).toBe(address);
  });

  test('is compared with the address ranges of a token', async () => {
    const token = await addToken(app, app.people.cleo.id, { allowedCidrs: ['203.0.113.0/24'] });
    const statusFrom = async (address: string) =>
      (
        await app.request
          .get('/auth/me')
          .set({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': address })
      ).status;
    expect([await statusFrom('203.0.113.9'), await statusFrom('203.0.114.9')]).toEqual([200, 401]);
  });

  test('gives a session a cookie for TLS only, and insists on TLS', async () => {
    const { headers } = await app.request.post('/auth/login').send(app.people.ben);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-cm_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
    ]);
    expect(headers['strict-transport-security']).toContain('max-age=');
  });

  test('accepts writes with a session from pages of the public address', async () => {
    const { writing } = await signIn(app, app.people.ada);
    const request = app.request.post('/audit-logs/test').set(writing).unset('Sec-Fetch-Site');
    expect((await request.set('Origin', 'https://certs.example.org')).status).toBe(200);
  });
});
