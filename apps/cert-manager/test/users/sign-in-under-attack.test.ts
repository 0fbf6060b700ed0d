import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type SuiteApp, startApp, startAppOn } from '../support/app.js';
import { addUser } from '../support/factories.js';

const dayMs = 86_400_000;
const behindProxy = { CERT_MANAGER_TRUSTED_PROXIES: '127.0.0.0/8' };

describeEachDialect('signing in while others guess passwords', (open) => {
  let app: SuiteApp;
  let user: Awaited<ReturnType<typeof addUser>>;
  let count = 0;
  beforeAll(async () => {
    app = await startApp(open, { environment: behindProxy });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    user = await addUser(app);
    // tallies of the test before it are over
    app.clock.advance(30 * 60_000);
    count = 0;
  });

  const logIn = (
    login: { readonly username: string; readonly password: string },
    {
      address = '192.0.2.1',
      cookie = '',
      at = app,
    }: { address?: string; cookie?: string; at?: typeof app } = {},
  ) =>
    at.request
      .post('/auth/login')
      .set({ 'X-Forwarded-For': address, 'Sec-Fetch-Site': 'same-origin' })
      .set(cookie === '' ? {} : { Cookie: cookie })
      .send({ username: login.username, password: login.password });
  const guess = (options: Parameters<typeof logIn>[1] = {}) =>
    logIn({ username: user.username, password: 'wrong' }, options);
  const blockNetwork = async (address: string) => {
    for (let time = 0; time < 61; time += 1) {
      count += 1;
      await logIn({ username: `nobody${count}`, password: 'wrong' }, { address });
    }
    expect((await logIn({ username: 'nobody', password: 'wrong' }, { address })).status).toBe(429);
  };

  test('succeeds at once from a network of an earlier sign-in, whatever others do there', async () => {
    await logIn(user).expect(200);
    await blockNetwork('192.0.2.1');
    for (let host = 0; host < 60; host += 1) await guess({ address: `198.51.100.${host}` });
    await logIn(user).expect(200);
    const { headers, body } = await logIn(user, { address: '203.0.113.1' }).expect(429);
    expect(headers['retry-after']).toBe('24');
    expect(body).toMatchObject({
      code: 'login_throttled',
      detail:
        'too many failed attempts; try again in 24 s, or in a browser where you signed in within the last 30 days',
    });
  });

  test('succeeds at once after a restart too, for 30 days', async () => {
    await logIn(user).expect(200);
    const restarted = await startAppOn(app.database, { environment: behindProxy, beside: app });
    const at = { ...restarted, databaseUrl: app.databaseUrl };
    for (let time = 0; time < 61; time += 1) {
      await logIn({ username: `nobody${time}`, password: 'wrong' }, { at });
    }
    await logIn(user, { at }).expect(200);
    app.clock.advance(30 * dayMs);
    await blockNetwork('192.0.2.1');
    await logIn(user).expect(429);
    await restarted.close();
  });

  test('does not wait in the browser of an earlier sign-in, even for failures on the account there', async () => {
    const { headers } = await logIn(user).expect(200);
    const [, device = ''] = headers['set-cookie'] as unknown as string[];
    expect(device).toMatch(/^cm_device=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
    const [cookie = ''] = device.split(';');
    for (let time = 0; time < 10; time += 1) await guess().expect(401);
    expect((await logIn(user).expect(429)).headers['retry-after']).toBe('15');
    const again = await logIn(user, { cookie }).expect(200);
    // one browser has one cookie for all its accounts
    expect((again.headers['set-cookie'] as unknown as string[])[1]).toContain(cookie);
  });

  test('gives nothing to a cookie of another account or an invented one', async () => {
    const other = await addUser(app);
    const { headers } = await logIn(other).expect(200);
    const [cookie = ''] = ((headers['set-cookie'] as unknown as string[])[1] ?? '').split(';');
    const stranger = '198.51.100.7';
    for (const sent of [cookie, `cm_device=${'A'.repeat(43)}`]) {
      app.clock.advance(30 * 60_000);
      for (let time = 0; time < 10; time += 1) await guess({ cookie: sent, address: stranger }).expect(401);
      await logIn(user, { cookie: sent, address: stranger }).expect(429);
    }
  });

  test('a password change from a known place is delayed by failures there alone', async () => {
    const { headers, body } = await logIn(user).expect(200);
    const [session = ''] = ((headers['set-cookie'] as unknown as string[])[0] ?? '').split(';');
    await blockNetwork('192.0.2.1');
    await app.request
      .post('/auth/password')
      .set({ Cookie: session, 'X-CSRF-Token': body.csrfToken, 'Sec-Fetch-Site': 'same-origin' })
      .set('X-Forwarded-For', '192.0.2.1')
      .send({ currentPassword: user.password, newPassword: 'twelve green bottles' })
      .expect(200);
  });

  test('remembers the latest 20 networks and 20 devices of an account', async () => {
    for (let host = 0; host < 22; host += 1) {
      app.clock.advance(1000);
      await logIn(user, { address: `192.0.2.${host}` }).expect(200);
    }
    const rows = (await app.database.read((tx) =>
      tx.query(`select place from sign_in_places where user_id = '${user.id}' order by place`),
    )) as { place: string }[];
    const networks = rows.map(({ place }) => place).filter((place) => place.startsWith('network:'));
    expect(rows).toHaveLength(40);
    expect(networks).toHaveLength(20);
    expect(networks).not.toContain('network:192.0.2.1');
    expect(networks).toContain('network:192.0.2.2');
  });
});

describeEachDialect('X-Forwarded-For from a proxy that is not trusted', (open) => {
  let app: SuiteApp;
  beforeAll(async () => {
    app = await startApp(open, { environment: { METRICS_OPEN: 'true' } });
  });
  afterAll(() => app.close());

  test('is counted, and is logged once with the address of the proxy', async () => {
    const untrusted = async () => {
      const { text } = await app.request.get('/metrics').expect(200);
      return /^cert_manager_untrusted_proxy_requests_total (\d+)$/m.exec(text)?.[1];
    };
    expect(await untrusted()).toBe('0');
    for (let time = 0; time < 3; time += 1) {
      await app.request.get('/health').set('X-Forwarded-For', '203.0.113.9');
    }
    expect(await untrusted()).toBe('3');
    const lines = app.logged().filter(({ event }) => event === 'http.untrusted_proxy');
    expect(lines).toMatchObject([{ peer: expect.stringContaining('127.0.0.1') }]);
  });
});
