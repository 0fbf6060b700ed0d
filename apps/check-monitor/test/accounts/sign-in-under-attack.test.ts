import { openDatabase } from '@certloop/db';
import { beforeEach, expect, test } from 'vitest';
import { openTestApp } from '../support/app.js';
import { type Browser, newPerson, password } from '../support/browser.js';
import { describeMonitor } from '../support/suite.js';

const dayMs = 86_400_000;
const proxied = { trustedProxies: ['127.0.0.0/8', '10.0.0.1'] };

describeMonitor(
  'signing in while others guess passwords',
  (stage) => {
    let ada: Browser;
    let later = 0;
    beforeEach(async () => {
      later += 1;
      // tallies of the test before it are over
      stage.app.clock.advance(later * 3_600_000);
      ada = await newPerson(stage);
    });

    const logIn = (
      { email = ada.email, secret = password }: { email?: string; secret?: string },
      { forwarded = '192.0.2.1', cookie = '', at = stage.app } = {},
    ) =>
      at.http
        .post('/api/account/login')
        .set({ 'X-Forwarded-For': forwarded, 'Sec-Fetch-Site': 'same-origin' })
        .set(cookie === '' ? {} : { Cookie: cookie })
        .send({ email, password: secret });
    const blockNetwork = async (options: Parameters<typeof logIn>[1] = {}) => {
      for (let time = 0; time < 61; time += 1) await logIn({ email: `stranger${time}@example.org` }, options);
      await logIn({ email: 'stranger@example.org' }, options).expect(429);
    };
    const guess = (options: Parameters<typeof logIn>[1] = {}) => logIn({ secret: 'wrong' }, options);

    test('succeeds at once from a network of an earlier sign-in, whatever others do there', async () => {
      await logIn({}).expect(200);
      await blockNetwork();
      for (let host = 0; host < 60; host += 1) await guess({ forwarded: `198.51.100.${host}` });
      await logIn({}).expect(200);
      expect((await logIn({}, { forwarded: '203.0.113.1' }).expect(429)).headers['retry-after']).toBe('24');
    });

    test('succeeds at once after a restart too', async () => {
      await logIn({}).expect(200);
      const { url, clock } = stage.app;
      const restarted = await openTestApp(async (schema) => {
        const database = await openDatabase({ url, schema });
        return { database, url, drop: () => database.close() };
      }, proxied);
      restarted.clock.set(clock.now());
      await blockNetwork({ at: restarted });
      await logIn({}, { at: restarted }).expect(200);
      await restarted.close();
      await restarted.database.close();
    });

    test('succeeds at once for 30 days after the latest sign-in there', async () => {
      // a network of its own: after this test the clock goes back, and the network is still blocked
      const office = { forwarded: '198.51.100.200' };
      await logIn({}, office).expect(200);
      stage.app.clock.advance(30 * dayMs - 1);
      await blockNetwork(office);
      await logIn({}, office).expect(200);
      stage.app.clock.advance(30 * dayMs);
      await blockNetwork(office);
      await logIn({}, office).expect(429);
    });

    test('does not wait in the browser of an earlier sign-in', async () => {
      const { headers } = await logIn({}).expect(200);
      expect(headers['set-cookie']?.[1]).toMatch(
        /^__Host-monitor_device=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
      const [cookie = ''] = ((headers['set-cookie'] as unknown as string[])[1] ?? '').split(';');
      for (let time = 0; time < 10; time += 1) await guess().expect(401);
      expect((await logIn({}).expect(429)).headers['retry-after']).toBe('15');
      await logIn({}, { cookie }).expect(200);
      const other = await newPerson(stage);
      for (let time = 0; time < 10; time += 1) await logIn({ email: other.email, secret: 'x' }, { cookie });
      await logIn({ email: other.email }, { cookie }).expect(429);
    });

    test('limits a guesser who forges the first address of X-Forwarded-For', async () => {
      const statuses = [];
      for (let time = 0; time < 12; time += 1) {
        const forwarded = `203.0.113.${time}, 198.51.100.9, 10.0.0.1`;
        statuses.push((await guess({ forwarded })).status);
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    });

    test('remembers the latest 20 networks of an account', async () => {
      for (let host = 0; host < 22; host += 1) {
        stage.app.clock.advance(1000);
        await logIn({}, { forwarded: `192.0.2.${host}` }).expect(200);
      }
      const rows = await stage.app.database.read((tx) =>
        tx.query(
          `select place from sign_in_places p join users u on u.id = p.user_id
            where u.email = '${ada.email}' and place like 'network:%'`,
        ),
      );
      expect(rows).toHaveLength(20);
    });
  },
  proxied,
);
