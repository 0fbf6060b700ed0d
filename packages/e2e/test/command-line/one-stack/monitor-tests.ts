import { describe, expect, test } from 'vitest';
import { monitorCommand } from '../../support/monitor-command.js';
import { asJson, certloop, stack } from './one-stack.js';

/** Tests of accounts and alerts of the monitor, on the stack of the file that calls this. */
export function describeMonitor(): void {
  describe('the account of the monitor', () => {
    test('creates projects once, with members and keys', async () => {
      const create = ['projects', 'create', 'Nightly jobs', '--exit-code'];
      expect((await certloop(create)).code).toBe(0);
      expect((await certloop([...create, '--if-not-exists'])).code).toBe(3);
      expect(await certloop(create)).toMatchObject({ code: 2, err: expect.stringContaining('--twin') });
      await asJson(['projects', 'update', 'Nightly jobs', '--name', 'Nights']);
      const made = await asJson(['projects', 'create-key', 'Nights', 'read-write']);
      const { url: CERTLOOP_MONITOR_URL } = stack.credentials.checkMonitor;
      const env = { CERTLOOP_MONITOR_URL, CERTLOOP_MONITOR_KEY: made.key };
      expect((await certloop(['checks', 'create', 'In another project'], { env })).code).toBe(0);
      const again = await certloop(['projects', 'create-key', 'Nights', 'read-write']);
      expect(again).toMatchObject({ code: 2, err: expect.stringMatching(/would be replaced.*--yes/) });
      expect((await certloop(['projects', 'revoke-key', 'Nights', 'read-write', '-y'])).code).toBe(0);
      expect((await certloop(['checks'], { env })).code).toBe(1);
      expect((await certloop(['projects', 'get', 'Nights'])).out).toMatch(/^members: \S+@\S+ \(owner\)$/m);
      await monitorCommand(
        ['user', 'create', '--email', 'anna@example.test'],
        stack.plan.environments['check-monitor'],
      );
      const add = ['projects', 'add-member', 'Nights', 'anna@example.test', '--role', 'read-only'];
      expect((await certloop(add)).out).toBe('anna@example.test is read-only of Nights\n');
      const remove = ['projects', 'remove-member', 'Nights', 'anna@example.test'];
      expect((await certloop(remove)).code).toBe(0);
      expect(await certloop(['projects', 'delete', 'Nights'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('with its 1 checks'),
      });
      expect((await certloop(['projects', 'delete', 'Nights', '--yes'])).code).toBe(0);
    });

    test('creates, shows, changes and deletes integrations of the project of the key', async () => {
      const create = ['integrations', 'create', 'Hook', '--kind', 'webhook', '--exit-code'];
      const { code, out } = await certloop([...create, '--url', 'https://hook.example/']);
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^name: Hook\nkind: webhook\n/) });
      expect((await certloop([...create, '--if-not-exists'])).code).toBe(3);
      expect((await certloop(['integrations'])).out).toMatch(/^Hook +webhook/m);
      const settings = JSON.stringify({ down: { url: 'https://other.example/' } });
      const changed = await certloop(['integrations', 'update', 'Hook', '--settings', '-'], {
        input: settings,
      });
      expect(changed).toMatchObject({ code: 0, out: expect.stringContaining('https://other.example/') });
      expect(await asJson(['integrations', 'get', 'Hook'])).toMatchObject({ settings: { up: null } });
      expect(await asJson(['integrations', 'deliveries', 'Hook'])).toEqual([]);
      expect((await certloop(['integrations', 'kinds'])).out).toMatch(/^ntfy .*topic/m);
      expect((await certloop(['integrations', 'delete', 'Hook'])).code).toBe(2);
      expect((await certloop(['integrations', 'delete', 'Hook', '-y'])).out).toBe('deleted Hook\n');
      const away = ['--kind', 'webhook', '--url', 'https://away.invalid/', '--test'];
      expect(await certloop(['integrations', 'create', 'Away', ...away])).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /^certloop: the test message by Away did not arrive, so nothing was created: /,
        ),
      });
      expect((await certloop(['integrations', 'get', 'Away'])).code).toBe(1);
      const wrong = await certloop(['integrations', 'create', 'X', '--kind', 'nothing']);
      expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('kind: must be one of') });
    });

    test('is asked for where only a key is known, and its password where only its address is', async () => {
      const { url, readWriteKey, email = '', password } = stack.credentials.checkMonitor;
      const keyed = { CERTLOOP_MONITOR_URL: url, CERTLOOP_MONITOR_KEY: readWriteKey };
      expect(await certloop(['projects'], { env: keyed })).toMatchObject({
        code: 2,
        err: expect.stringContaining('CERTLOOP_MONITOR_EMAIL'),
      });
      const env = { CERTLOOP_MONITOR_URL: url, CERTLOOP_MONITOR_EMAIL: email };
      const listed = await certloop(['projects', '-o', 'name'], { env, input: `${password}\n` });
      expect(listed.out).toMatch(/^CertLoop$/m);
      expect(await certloop(['checks'], { env })).toMatchObject({
        code: 2,
        err: expect.stringContaining('projects create-key'),
      });
    });
  });

  describe('alerts', () => {
    const checkOf = async (name: string) =>
      (await asJson(['checks'])).find((check: { name: string }) => check.name === name);
    const integrate = (name: string) =>
      monitorCommand(
        [
          'channel',
          'create',
          '--project',
          'CertLoop',
          '--kind',
          'webhook',
          '--name',
          name,
          '--no-assign',
          '--url',
          'https://hook.example/',
          '--json',
        ],
        stack.plan.environments['check-monitor'],
      ).then((said) => JSON.parse(said).channelId as string);

    test('are missing where the project has no integration, which list, status and creation say', async () => {
      const warning = 'the project has no integration';
      const made = await certloop(['checks', 'create', 'Unheard']);
      expect(made).toMatchObject({ code: 0, err: expect.stringContaining(`${warning} that is switched on`) });
      expect(made.out).toContain('integrations: none\n');
      const listed = await certloop(['checks']);
      expect(listed.err).toMatch(
        /^certloop: (\d+) of \1 checks have no integration, so they send no alerts\n$/,
      );
      const status = await certloop(['status']);
      expect(status.err).toContain(warning);
      expect(status.out).toMatch(/^checks without integration: [1-9]\d*\nintegrations: 0\n$/m);
      expect(await certloop(['integrations'])).toMatchObject({ out: 'none\n', err: expect.any(String) });
    });

    test('are sent by all integrations for a created check, unless others or none are asked for', async () => {
      const [one, other] = [await integrate('one'), await integrate('other')];
      const both = [one, other].sort().join();
      const channelsOf = async (name: string) => (await checkOf(name)).channels.split(',').sort().join();
      expect(await certloop(['checks', 'create', 'All'])).toMatchObject({ code: 0, err: '' });
      expect(await channelsOf('All')).toBe(both);
      await certloop(['checks', 'create', 'One', '--integrations', 'one']);
      expect(await channelsOf('One')).toBe(one);
      await certloop(['checks', 'create', 'One', '--tags', 'changed']);
      expect(await channelsOf('One')).toBe(one);
      expect(await certloop(['checks', 'create', 'None', '--no-assign'])).toMatchObject({ code: 0, err: '' });
      expect(await channelsOf('None')).toBe('');
      await certloop(['checks', 'create', 'None']);
      expect(await channelsOf('None')).toBe(both);
      // the manager may assign both to checks of its own at any moment
      const [first, second] = await asJson(['integrations']);
      expect([first, second]).toMatchObject([{ name: 'one' }, { name: 'other' }]);
      expect(second.checks).toBeGreaterThanOrEqual(2);
      expect(first.checks - second.checks).toBe(1);
      expect((await certloop(['integrations'])).out).toMatch(/^one +webhook +\d+ +ok +\S+$/m);
      expect((await asJson(['status'])).monitor).toMatchObject({ integrations: 2 });
    });

    test('are counted as far as the monitor answers and the key may see, which hides nothing of the manager', async () => {
      const { url, token } = stack.credentials.certManager;
      const known = { CERTLOOP_URL: url, CERTLOOP_TOKEN: token };
      const away = { CERTLOOP_MONITOR_URL: 'http://127.0.0.1:9', CERTLOOP_MONITOR_KEY: 'x' };
      const status = await certloop(['status'], { env: { ...known, ...away } });
      expect(status).toMatchObject({ code: 0, err: '', out: expect.stringContaining('status: ok') });
      expect(status.out).toContain('monitor: check-monitor at http://127.0.0.1:9 does not answer');
      expect((await certloop(['status'], { env: known })).out).not.toContain('monitor');
      const { url: CERTLOOP_MONITOR_URL, readOnlyKey: CERTLOOP_MONITOR_KEY } = stack.credentials.checkMonitor;
      const reader = { ...known, CERTLOOP_MONITOR_URL, CERTLOOP_MONITOR_KEY };
      const seen = (await certloop(['status'], { env: reader })).out;
      expect(seen).toContain('monitor: ok');
      expect(seen).not.toContain('without integration');
    });

    test('can be tried by a test message, which says whether it arrived', async () => {
      const id = await integrate('Away');
      for (const named of [id, 'Away']) {
        expect(await certloop(['integrations', 'test', named])).toMatchObject({
          code: 1,
          err: expect.stringMatching(/^certloop: the test message by Away did not arrive: .+\n$/),
        });
      }
      expect(await certloop(['integrations', 'test', 'Nowhere'])).toMatchObject({
        code: 1,
        err: 'certloop: there is no integration Nowhere; certloop integrations lists those that you may see\n',
      });
    });
  });
}
