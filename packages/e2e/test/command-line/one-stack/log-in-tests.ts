import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { credentialsFile } from '../../../src/credentials.js';
import { runCertloop } from '../../support/certloop.js';
import { asJson, certloop, certloopProcess, folder, inMonitor, signIn, stack } from './one-stack.js';

/** Tests of log-ins, on the stack of the file that calls this. */
export function describeLogIn(): void {
  describe('a log-in', () => {
    const loggedOut = { env: {} };

    test('keeps a token for its owner only, which is revoked at the end', async () => {
      const { url, username, password } = stack.credentials.certManager;
      const login = ['login', '--url', url, '--username', username];
      const done = await certloopProcess(login, { ...loggedOut, input: `${password}\n` });
      expect(done).toMatchObject({ code: 0, err: '' });
      const file = join(folder, 'config', 'certloop', 'login.json');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const { token } = JSON.parse(await readFile(file, 'utf8')).contexts.default.certManager;
      expect(done.out).not.toContain(token);
      expect((await certloop(['whoami'], loggedOut)).out).toContain(`username: ${username}`);
      expect(await certloop(['logout'], loggedOut)).toMatchObject({
        code: 0,
        out: `revoked the token at ${url}\n`,
      });
      const after = await certloop(['whoami'], { env: { CERTLOOP_URL: url, CERTLOOP_TOKEN: token } });
      expect(after).toMatchObject({ code: 1, out: '' });
    });

    test.each([
      ['the folder cannot be made', 'certloop', 'a file of that name is in the way'],
      ['the file cannot be replaced', 'certloop/login.json/x', 'it is a folder'],
    ])('leaves no token when %s', async (_situation, taken, reason) => {
      const { url, username, password } = stack.credentials.certManager;
      const config = await mkdtemp(join(folder, 'taken-'));
      await mkdir(dirname(join(config, taken)), { recursive: true });
      await writeFile(join(config, taken), '');
      const env = { XDG_CONFIG_HOME: config };
      const login = ['login', '--url', url, '--username', username];
      const failed = await runCertloop(login, { env, input: `${password}\n` });
      expect(failed).toMatchObject({ code: 2, out: '', err: expect.stringContaining(reason) });
      expect((await readdir(config, { recursive: true })).filter((name) => name.endsWith('.new'))).toEqual(
        [],
      );
      expect(await tokensOfLogins()).toEqual([]);
    });

    test('covers both services under a name, whose default space counts, and ends at both', async () => {
      const { certManager: manager, checkMonitor: monitor } = stack.credentials;
      const [email = '', second = ''] = [monitor.email, monitor.password];
      await inMonitor('project', 'create', '--owner', email, '--name', 'Extra');
      await inMonitor('project', 'create', '--owner', email, '--name', 'Other');
      await asJson(['spaces', 'create', 'Log-in', '--if-not-exists']);
      await asJson(['spaces', 'create', 'Log-in elsewhere', '--if-not-exists']);
      await asJson(['fqdns', 'create', 'elsewhere.example.test', '-s', 'Log-in elsewhere']);
      const env = { XDG_CONFIG_HOME: await mkdtemp(join(folder, 'both-')) };
      const here = (args: readonly string[], input = '') => runCertloop(args, { env, input });
      const both = ['login', '--context', 'two', '--url', manager.url, '--username', manager.username];
      const toMonitor = ['--monitor-url', monitor.url, '--email', email];
      const passwords = `${manager.password}\n${second}\n`;

      // the first service is logged in to, the second refuses: nothing stays
      const half = await here([...both, ...toMonitor], passwords);
      expect(half).toMatchObject({ code: 2, err: expect.stringMatching(/--project: .*Extra, Other/) });
      expect(await tokensOfLogins()).toEqual([]);
      expect((await here(['contexts'])).out).toBe('none\n');

      const done = await here(
        [...both, ...toMonitor, '--project', 'Extra', '--default-space', 'Log-in'],
        passwords,
      );
      expect(done).toMatchObject({ code: 0, err: '' });
      const who = JSON.parse((await here(['whoami', '--json'])).out);
      expect(who).toMatchObject({ context: 'two', user: { username: manager.username }, space: 'Log-in' });
      expect(who.checkMonitor).toMatchObject({ email, kind: 'read-write', project: { name: 'Extra' } });
      expect(await here(['fqdns', 'create', 'in.example.test'])).toMatchObject({ code: 0 });
      expect((await here(['fqdns', '-o', 'name'])).out).toBe('in.example.test\n');
      expect(JSON.parse((await here(['fqdns', '-s', '*', '--json'])).out).length).toBeGreaterThan(1);
      expect(await here(['checks', 'create', 'In extra'])).toMatchObject({ code: 0 });
      expect((await asJson(['checks'])).map(({ name }: { name: string }) => name)).not.toContain('In extra');

      // a second log-in takes the project's own key again, and its token replaces the first
      await here([...both, ...toMonitor, '--project', 'Extra'], passwords);
      expect(await tokensOfLogins()).toHaveLength(1);
      expect((await here(['checks', '-o', 'name'])).out).toBe('In extra\n');
      expect((await here(['contexts', 'get', 'two'])).out).toContain('space: Log-in\n');

      // a key that other programs may use is replaced only when that is confirmed
      const elsewhere = ['login', '--context', 'three', ...toMonitor, '--project', 'Extra'];
      const taken = await here(elsewhere, `${second}\n`);
      expect(taken).toMatchObject({ code: 2, err: expect.stringMatching(/--key-file .*add --yes to do it/) });

      const ended = await here(['logout']);
      expect(ended).toEqual({
        code: 0,
        out: `revoked the token at ${manager.url}; revoked the key of Extra at ${monitor.url}\n`,
        err: '',
      });
      expect(await tokensOfLogins()).toEqual([]);
      expect(await here(['checks'])).toMatchObject({ code: 2 });
    });

    test('takes a token and a key from files, and leaves them valid at its end', async () => {
      const { certManager: manager, checkMonitor: monitor } = stack.credentials;
      const env = { XDG_CONFIG_HOME: await mkdtemp(join(folder, 'files-')) };
      const here = (args: readonly string[], input = '') => runCertloop(args, { env, input });
      const keyFile = join(folder, 'monitor-key');
      await writeFile(keyFile, `${monitor.readWriteKey}\n`);
      const token = ['login', '--url', manager.url, '--token-file', '-'];
      const key = ['--monitor-url', monitor.url, '--key-file', keyFile];
      expect(await here(token, 'clt_wrong')).toMatchObject({ code: 1 });
      expect(await here([...token, ...key], manager.token)).toMatchObject({ code: 0, err: '' });
      expect((await here(['whoami'])).out).toMatch(/^project: CertLoop$/m);
      expect((await here(['logout'])).out).toMatch(
        /^forgot the token at .* stays valid; forgot the key .* stays valid\n$/,
      );
      const file = credentialsFile(join(folder, 'data'));
      expect(await here(['login', '--credentials', file])).toMatchObject({ code: 0, err: '' });
      expect((await here(['status'])).out).toContain('monitor: ok');
      // check-monitor alone
      expect(await here(['login', '--context', 'jobs', ...key])).toMatchObject({ code: 0 });
      expect((await here(['status'])).out).toMatch(/^context: jobs\nmonitor: ok$/m);
      expect((await here(['contexts', 'use', 'default'])).code).toBe(0);
      expect(
        (await here(['contexts', 'update', 'jobs', '--name', 'work', '--default-space', 'Shop'])).code,
      ).toBe(0);
      expect((await here(['contexts', '-o', 'csv'])).out).toMatch(/\r\ndefault,yes,.*\r\nwork,,,,Shop,http/);
      expect((await here(['contexts', 'delete', 'work'])).err).toMatch(
        /certloop logout --context work .*add --yes/,
      );
      expect((await here(['contexts', 'delete', 'work', '-y'])).code).toBe(0);
      expect((await here(['contexts', '-o', 'name'])).out).toBe('default\n');
    });

    test('is asked for where there is none', async () => {
      const { code, err } = await certloop(['spaces'], loggedOut);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('log in first') });
    });
  });
}

/** The names of the tokens that log-ins have created. */
async function tokensOfLogins(): Promise<string[]> {
  const { url, username, password } = stack.credentials.certManager;
  const { cookie, headers } = await signIn(url, username, password);
  const response = await fetch(`${url}/api-tokens`, { headers: { cookie } });
  const tokens = (await response.json()) as { name: string }[];
  await fetch(`${url}/auth/logout`, { method: 'POST', headers: { ...headers, cookie } });
  return tokens.map(({ name }) => name).filter((name) => /^certloop \d/.test(name));
}
