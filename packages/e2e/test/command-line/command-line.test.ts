import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { processIo } from '@certloop/cli/dist/src/io.js';
import { createProgram } from '@certloop/cli/dist/src/run.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inheritedEnvironment } from '../../src/config.js';
import { credentialsFile } from '../../src/credentials.js';
import { makeCsr } from '../../src/main-job.js';
import { type Stack, startStack } from '../../src/stack.js';
import { runCertloop } from '../support/certloop.js';
import { monitorCommand } from '../support/monitor-command.js';

const program = createRequire(import.meta.url).resolve('@certloop/cli/bin/certloop.js');
const free = { certManager: 0, checkMonitor: 0, dummyCa: 0 };
let folder: string;
let stack: Stack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-cli-'));
  stack = await startStack({
    dataDir: join(folder, 'data'),
    ports: free,
    // renewals run each second
    environment: { ...inheritedEnvironment(), HEARTBEAT_SECONDS: '1' },
  });
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

type Command = ReturnType<typeof createProgram>;

interface Call {
  readonly input?: string;
  readonly answer?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a call is given: the stack's credentials, unless it says otherwise. */
const given = (env: Call['env']) => ({
  XDG_CONFIG_HOME: join(folder, 'config'),
  ...(env ?? { CERTLOOP_CREDENTIALS: credentialsFile(join(folder, 'data')) }),
});

const certloop = (args: readonly string[], { env, ...call }: Call = {}) =>
  runCertloop(args, { ...call, env: given(env) });

/** The command as a process of its own. */
function startCertloop(args: readonly string[], env?: Call['env']) {
  return spawn(process.execPath, [program, ...args], { env: { PATH: process.env['PATH'], ...given(env) } });
}

/** What such a process said, and its exit code. */
async function certloopProcess(args: readonly string[], { input = '', env }: Call = {}) {
  const child = startCertloop(args, env);
  child.stdin.end(input);
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, out, err };
}

async function asJson(args: readonly string[]) {
  const { code, out, err } = await certloop([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('providers', () => {
  test('are created, configured, switched, tested and deleted by their names', async () => {
    const [{ config }] = await asJson(['providers']);
    const file = join(folder, 'staging.json');
    await writeFile(file, JSON.stringify(config));
    const created = await asJson(['providers', 'create', 'staging', '--kind', 'dummy-ca', '--config', file]);
    expect(created).toMatchObject({ name: 'staging', kind: 'dummy-ca', enabled: true, config });
    const brief = await certloopProcess(['providers', 'configure', 'staging', '--config', '-'], {
      input: JSON.stringify({ ...config, validityDays: 1 }),
    });
    expect(brief).toEqual({ code: 0, out: 'provider staging is configured\n', err: '' });
    for (const [command, state] of [
      ['disable', 'disabled'],
      ['enable', 'enabled'],
    ] as const) {
      const { out } = await certloop(['providers', command, 'staging']);
      expect(out).toBe(`provider staging is ${state}\n`);
    }
    expect((await certloop(['providers', 'test', 'staging'])).code).toBe(0);
    expect((await certloop(['providers', 'list'])).out).toMatch(/^staging +dummy-ca +staging +yes/m);
    const taken = await certloop(['providers', 'create', 'staging', '--kind', 'dummy-ca', '--config', file]);
    expect(taken).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /name: another provider is named staging; to change it, .* or choose another name/,
      ),
    });
    expect((await certloop(['providers', 'delete', 'staging', '--yes'])).out).toBe(
      'provider staging is deleted\n',
    );
    const builtIn = await certloop(['providers', 'delete', 'acme', '-y']);
    expect(builtIn).toMatchObject({ code: 1, err: expect.stringMatching(/stays: disable it instead/) });
  });

  test('refuse a file that is no configuration without a word of it', async () => {
    const args = ['providers', 'create', 'x', '--kind', 'acme', '--config', '-'];
    const { code, err } = await certloop(args, { input: '{"hmacKey": "secret' });
    expect({ code, err }).toEqual({ code: 2, err: 'certloop: --config: - is not a JSON object\n' });
  });
});

describe('certificates', () => {
  test('come from CSR files in one call, and one bad file does not stop the others', async () => {
    const good = join(folder, 'good.csr');
    await writeFile(good, await makeCsr('good.example.test'));
    await writeFile(join(folder, 'bad.csr'), 'no CSR');
    await asJson(['spaces', 'create', 'Shop']);
    const { code, out, err } = await certloopProcess([
      'issue',
      join(folder, 'bad.csr'),
      good,
      '--space',
      'Shop',
      '--provider',
      'dummy-ca',
      '--renew',
      '--out-dir',
      join(folder, 'out'),
      '--json',
    ]);
    expect({ code, err }).toEqual({ code: 1, err: 'certloop: 1 of 2 failed\n' });
    expect(JSON.parse(out)).toMatchObject([
      { success: false, message: expect.stringContaining('PEM') },
      { success: true, fqdn: 'good.example.test' },
    ]);
    const saved = await certloop(['certificates', 'save', 'good.example.test']);
    expect(await readFile(join(folder, 'out', 'good.example.test.pem'), 'utf8')).toBe(saved.out);
  });

  test('are not signed again while they fit the CSR and are not due', async () => {
    const file = join(folder, 'good.csr');
    const other = join(folder, 'other-key.csr');
    await writeFile(other, await makeCsr('good.example.test'));
    const needed = ['--space', 'Shop', '--provider', 'dummy-ca', '--if-needed', '--exit-code'];
    const again = await certloop(['issue', file, ...needed]);
    expect(again).toMatchObject({ code: 3, out: expect.stringMatching(/good\.example\.test +unchanged/) });
    const would = await certloop(['issue', other, ...needed, '--dry-run']);
    expect(would).toMatchObject({ code: 0, out: expect.stringContaining('would be issued') });
    expect(await asJson(['certificates', 'good.example.test'])).toHaveLength(1);
  });

  test('are listed for people', async () => {
    const { out } = await certloop(['fqdns', '--space', 'Shop']);
    expect(out).toMatch(
      /^FQDN +SPACE +STATE +EXPIRES +RENEWAL\ngood\.example\.test +Shop +valid +[\d-]{10} +on\n$/,
    );
    expect((await certloop(['expiring', '--within', '30'])).out).toBe('none\n');
    expect((await certloop(['expiring', '--within', '400'])).out).toContain('good.example.test');
    expect((await certloop(['renewals'])).out).toMatch(/good\.example\.test +\S+Z +pending +1/);
    expect((await certloop(['fqdns', 'explain', 'good.example.test'])).out).toContain('message: renews at');
  });

  test('expire as people accept, until a moment', async () => {
    const accept = ['fqdns', 'accept-expiry', 'good.example.test'];
    expect((await certloop(accept)).err).toContain('renewal is on for this FQDN; switch it off first');
    await certloop(['fqdns', 'renewal', 'good.example.test', 'off']);
    expect((await certloop([...accept, '--until', 'soon'])).err).toContain('--until soon: write a moment as');
    const until = new Date(Date.now() + 86_400_000).toISOString();
    expect(await asJson([...accept, '--until', until])).toMatchObject({ expiryAcceptedUntil: until });
    expect((await certloop(['fqdns', 'explain', 'good.example.test'])).out).toContain('watched: accepted');
    expect(await asJson([...accept, '--end'])).not.toHaveProperty('expiryAcceptedUntil');
    await certloop(['fqdns', 'renewal', 'good.example.test', 'on']);
  });
});

describe('an import', () => {
  test('stores a certificate from elsewhere once', async () => {
    const file = join(folder, 'foreign.pem');
    const names = 'subjectAltName=DNS:foreign.example.test';
    const end = ['-addext', 'basicConstraints=critical,CA:FALSE', '-days', '9', '-out', file];
    const key = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      join(folder, 'k'),
    ];
    await openssl('req', '-x509', ...key, '-subj', '/CN=foreign', '-addext', names, ...end);
    await asJson(['fqdns', 'add', 'foreign.example.test', '--space', 'Shop']);
    const args = ['certificates', 'import', 'foreign.example.test', file];
    expect(await asJson(args)).toMatchObject({ imported: true });
    expect((await certloop(args)).out).toContain('has already the certificate that expires');
    expect((await certloop(['expiring', '--within', '10'])).out).toContain('foreign.example.test');
  });
});

describe('a revocation', () => {
  test('is seen by OpenSSL in OCSP and in the list of the CA, and a renewal follows', async () => {
    const of = 'good.example.test';
    const leaf = join(folder, 'out', `${of}.pem`);
    const asked = await certloop(['certificates', 'revoke', of]);
    expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('add --yes') });
    const ca = stack.plan.urls['dummy-ca'];
    const root = join(folder, 'root.pem');
    const list = join(folder, 'root.crl');
    await writeFile(root, await (await fetch(`${ca}/root`)).text());
    const ocsp = () => openssl('ocsp', '-issuer', root, '-CAfile', root, '-cert', leaf, '-url', `${ca}/ocsp`);
    expect(await ocsp()).toContain(`${leaf}: good`);
    const revoked = await asJson(['certificates', 'revoke', of, '--reason', 'superseded', '--yes']);
    expect(revoked).toMatchObject({ revocationReason: 'superseded', revokedAt: expect.any(String) });
    expect(await ocsp()).toMatch(/: revoked\s[\s\S]*Reason: superseded/);
    await writeFile(list, Buffer.from(await (await fetch(`${ca}/crls/root`)).arrayBuffer()));
    await openssl('crl', '-inform', 'DER', '-in', list, '-out', list);
    expect(await openssl('verify', '-crl_check', '-CRLfile', list, '-CAfile', root, leaf)).toContain(
      'certificate revoked',
    );
    expect((await certloop(['certificates', 'list', of])).out).toContain('REVOKED');
    const again = await certloop(['certificates', 'revoke', of, '--certificate', revoked.id, '--yes']);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('was revoked at') });
    for (let left = 100; (await asJson(['certificates', 'list', of])).length < 2 && left > 0; left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const [, renewed] = await asJson(['certificates', 'list', of]);
    await writeFile(leaf, renewed.pem);
    expect(await ocsp()).toContain(`${leaf}: good`);
  });
});

/** What OpenSSL says, whatever its exit code. */
async function openssl(...args: readonly string[]): Promise<string> {
  const child = spawn('openssl', args);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + err;
}

/** A session of a user, as the console has it. */
async function signIn(url: string, username: string, password: string) {
  const body = JSON.stringify({ username, password });
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const response = await fetch(`${url}/auth/login`, request);
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';', 1);
  return { cookie, headers: { origin: new URL(url).origin, 'x-csrf-token': csrfToken } };
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

/** What check-monitor's own command line prints. */
const inMonitor = (...args: readonly string[]) =>
  monitorCommand(args, stack.plan.environments['check-monitor']);

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
    expect((await readdir(config, { recursive: true })).filter((name) => name.endsWith('.new'))).toEqual([]);
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

describe('the nouns', () => {
  const code = async (args: readonly string[], input?: string) =>
    (await certloop(args, input === undefined ? {} : { input })).code;

  beforeAll(async () => {
    for (const name of ['Shop', 'Team']) await asJson(['spaces', 'create', name, '--if-not-exists']);
  });

  test('spaces are created once, changed and deleted', async () => {
    const create = ['spaces', 'create', 'Garden', '--if-not-exists', '--exit-code'];
    expect([await code(create), await code(create)]).toEqual([0, 3]);
    const twin = await certloop(['spaces', 'create', 'Garden']);
    expect(twin).toMatchObject({
      code: 2,
      err: expect.stringMatching(/there is a space Garden already .*--twin/),
    });
    await asJson(['spaces', 'update', 'Garden', '--name', 'Yard', '--watch', 'off']);
    expect(await asJson(['spaces', 'get', 'Yard'])).toMatchObject({
      level: 'FULL_ACCESS',
      watchEnabled: false,
    });
    expect(await certloop(['spaces', 'update', 'Yard'])).toMatchObject({ code: 2 });
    expect(await code(['spaces', 'delete', 'Yard', '--yes'])).toBe(0);
  });

  test('users and groups are created, changed and deleted', async () => {
    await asJson(['groups', 'create', 'readers', '--permission', 'READ', '--space', 'Team']);
    const anna = ['users', 'create', 'anna', '--email', 'anna@example.test', '--group', 'readers'];
    expect(await code([...anna, '--password-file', '-'], 'seven blue teapots\n')).toBe(0);
    expect(await code([...anna, '--if-not-exists', '--exit-code'])).toBe(3);
    expect((await certloop(['groups', 'get', 'readers'])).out).toMatch(/^spaces: Team\nmembers: anna$/m);
    expect(await code(['groups', 'remove-member', 'readers', 'anna'])).toBe(0);
    expect(await asJson(['groups', 'get', 'readers'])).toMatchObject({ userIds: [] });
    await asJson(['groups', 'update', 'readers', '--permission', 'READ_WRITE', '--member', 'anna']);
    expect(await asJson(['users', 'update', 'anna', '--no-enabled'])).toMatchObject({ enabled: false });
    expect((await certloop(['users', '-o', 'name'])).out).toContain('anna\n');
    expect(await asJson(['tokens', 'list', '--user', 'anna'])).toEqual([]);
    const unconfirmed = await certloop(['users', 'delete', 'anna']);
    expect(unconfirmed).toMatchObject({ code: 2, err: expect.stringContaining('add --yes to do it') });
    expect(await code(['users', 'delete', 'anna', '--yes'])).toBe(0);
    expect(await code(['groups', 'delete', 'readers', '-y'])).toBe(0);
    const { out } = await certloop(['audit', '--limit', '1000', '-o', 'jsonpath=$[*].action']);
    expect(new Set(out.split('\n'))).toContain('user.delete');
    const exported = await certloop(['audit', 'export', '--action', 'user.delete']);
    expect(JSON.parse(exported.out)).toMatchObject({ action: 'user.delete' });
  });

  test('targets, CSRs and certificates of an FQDN are shown and changed', async () => {
    const name = 'nouns.example.test';
    const file = join(folder, 'nouns.csr');
    await writeFile(file, await makeCsr(name));
    const add = ['fqdns', 'create', name, '-s', 'Team', '--if-not-exists', '--exit-code'];
    expect([await code(add), await code(add)]).toEqual([0, 3]);
    expect(await asJson(['fqdns', 'get', name])).toMatchObject({ fqdn: name, level: expect.any(String) });
    expect(await asJson(['csrs', 'create', name, file, '--dry-run'])).not.toHaveProperty('id');
    await asJson(['csrs', 'create', name, file]);
    expect((await certloop(['csrs', 'get', name])).out).toBe(await readFile(file, 'utf8'));
    expect(await asJson(['csrs', name])).toHaveLength(1);
    await asJson([
      'targets',
      'create',
      name,
      '127.0.0.1',
      '--port',
      '9443',
      '--every',
      '1h',
      '--mode',
      'report',
    ]);
    await asJson(['targets', 'update', name, '127.0.0.1', '--no-enabled']);
    expect(await asJson(['targets', name])).toMatchObject([
      { port: 9443, everySeconds: 3600, enabled: false },
    ]);
    expect(await code(['targets', 'delete', name, '127.0.0.1', '--yes'])).toBe(0);
    await asJson(['issue', file, '-s', 'Team', '-p', 'dummy-ca']);
    expect((await certloop(['certificates', 'get', name])).out).toMatch(/^names: nouns\.example\.test$/m);
    const saved = (await certloop(['certificates', 'save', name])).out;
    expect((await certloop(['certificates', 'download', name])).out).toBe(saved);
  });

  test('renewals are switched by patterns, and several off at once only when that is confirmed', async () => {
    for (const name of ['nouns.example.test', 'nodes.example.test'])
      await asJson(['fqdns', 'add', name, '-s', 'Team', '--if-not-exists']);
    const off = ['renewals', 'off', 'no*.example.test'];
    const on = ['renewals', 'on', 'no*.example.test', '--exit-code'];
    expect((await certloop([...on, '--dry-run'])).out.match(/would be on/g)).toHaveLength(2);
    expect(await certloop([...on, '-s', 'Shop'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no FQDN'),
    });
    expect([await code(on), await code(on)]).toEqual([0, 3]);
    expect(await certloop(off)).toMatchObject({ code: 2, err: expect.stringMatching(/2 FQDNs .*--dry-run/) });
    expect(await code([...off, '--yes'])).toBe(0);
  });

  test('checks are shown with their pings, flips and the output of the last run', async () => {
    const create = ['checks', 'create', 'Nightly', '--slug', 'nightly', '--timeout', '1d', '--grace', '2h'];
    expect(await asJson(create)).toMatchObject({ slug: 'nightly', timeout: 86_400, grace: 7_200 });
    expect(await code([...create, '--if-not-exists', '--exit-code'])).toBe(3);
    const job = ['run', 'nightly', '--', 'sh', '-c', 'echo copied; exit 1'];
    expect(await code(job)).toBe(1);
    expect((await certloop(['checks', 'output', 'nightly'])).out).toBe('copied\n');
    expect((await asJson(['checks', 'pings', 'nightly'])).map(({ type }: { type: string }) => type)).toEqual([
      'fail',
      'start',
    ]);
    expect((await certloop(['checks', 'flips', 'nightly', '--within', '1d'])).out).toMatch(/ down$/m);
    expect(await asJson(['checks', 'update', 'nightly', '--grace', '3h'])).toMatchObject({ grace: 10_800 });
    expect((await certloop(['checks', 'get', 'nightly'])).out).toContain('grace: 10800');
    expect(await code(['checks', 'output', 'nightly', '--ping', '999'])).toBe(1);
    expect((await certloop(['pings', 'get', 'nightly', '--ping', '2'])).out).toBe('copied\n');
    expect((await certloop(['pings', 'nightly', '-o', 'jsonpath=$[*].n'])).out).toBe('2\n1\n');
    expect((await certloop(['flips', 'nightly', '-o', 'csv'])).out).toMatch(/^time,status\r?\n\S+,down/);
  });
});

describe('lists and requests', () => {
  test('FQDNs of all spaces are filtered, sorted and counted', async () => {
    const names = async (...options: string[]) =>
      (await certloop(['fqdns', 'list', '-o', 'name', ...options])).out.trim().split('\n');
    const all = await names('--sort', 'fqdn');
    expect(all).toEqual([...all].sort());
    expect(all.length).toBeGreaterThan(2);
    expect(await names('--sort', 'fqdn', '--limit', '2')).toEqual(all.slice(0, 2));
    expect(await names('--query', 'nouns', '--space', 'Team')).toEqual(['nouns.example.test']);
    expect(await names('--state', 'unfinished', '--space', 'Team')).toEqual(['nodes.example.test']);
    expect(await names('--expires-within', '36h')).toEqual(['']);
    expect(await names('--provider', 'acme', '--renewal', 'on')).toEqual(['']);
    const counts = await asJson(['fqdns', 'count', '--space', 'Team']);
    expect(counts).toMatchObject({ total: 2, unfinished: 1, valid: 1 });
    const wide = (await certloop(['fqdns', '--query', 'nouns', '-o', 'wide'])).out;
    expect(wide).toMatch(/^FQDN .* REASON +ID\n/);
    expect(await asJson(['fqdns', 'outlook', '--space', 'Team'])).toEqual([]);
    expect((await certloop(['fqdns', 'outlook'])).out).toMatch(/^dummy-ca +\d+ d .* good\.example\.test /m);
  });

  test('requests for certificates are listed for an FQDN or a space', async () => {
    const name = 'nouns.example.test';
    expect(await asJson(['issuance-jobs', name])).toEqual([]);
    expect(await asJson(['issuance-jobs', '--space', 'Team', '--status', 'failed'])).toEqual([]);
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const verb of ['get', 'continue'])
      expect(await certloop(['jobs', verb, unknown])).toMatchObject({ code: 1, out: '' });
    expect(await certloop(['issuance-jobs'])).toMatchObject({
      code: 2,
      err: 'certloop: name an FQDN, or a space with --space\n',
    });
    expect(await asJson(['fqdns', 'challenge-setup', name])).toMatchObject({ names: [name], waiting: [] });
  });

  test('permissions are shown, and sessions are listed and ended with the password', async () => {
    const { url, username, password } = stack.credentials.certManager;
    expect((await certloop(['users', 'permissions'])).out).toMatch(/^administrator: yes$/m);
    expect(await asJson(['users', 'permissions', username])).toMatchObject({ isAdmin: true });
    const before = await signIn(url, username, password);
    const listed = await certloop(['sessions', '--json'], { input: `${password}\n` });
    const others = JSON.parse(listed.out).filter(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
    expect(others).toHaveLength(1);
    const ended = await certloop(['sessions', 'delete', others[0].id, '-y'], { input: `${password}\n` });
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect((await fetch(`${url}/auth/me`, { headers: { cookie: before.cookie } })).status).toBe(401);
  });
});

describe('what is lost', () => {
  /** Command lines that lose something, in an order in which all can go on. */
  const losing: Readonly<Record<string, readonly string[]>> = {
    'certificates revoke': ['lost.example.test'],
    'targets delete': ['lost.example.test', '127.0.0.1'],
    'fqdns delete': ['lost.example.test'],
    'spaces delete': ['Lost', '--with-fqdns'],
    'users update': ['lost', '--revoke-tokens'],
    'users delete': ['lost'],
    'groups delete': ['lost'],
    'providers delete': ['lost'],
    'checks delete': ['Lost'],
    'contexts delete': ['lost'],
  };
  /** Those that are only refused here: others need what they would lose, or each call costs a slow hash. */
  const refused: Readonly<Record<string, readonly string[]>> = {
    'audit clear': [],
    'sessions delete': ['any'],
    'renewals off': ['lost*'],
    'tokens delete': ['lost'],
    'integrations delete': ['Lost', '--project', 'Lost'],
    'projects revoke-key': ['CertLoop', 'read-write'],
    'projects create-key': ['CertLoop', 'read-write'],
    'projects delete': ['CertLoop'],
  };
  // they lose nothing that these command lines could name
  const elsewhere = ['renewals on', 'login', 'spaces policy', 'admin manager', 'admin monitor'];

  const commandsWithYes = (command: Command, path: readonly string[] = []): string[] =>
    command.commands.flatMap((each) => {
      const name = [...path, each.name()];
      const own = each.options.some(({ long }) => long === '--yes') ? [name.join(' ')] : [];
      return [...own, ...commandsWithYes(each, name)];
    });

  test('is named, and goes on only after yes or --yes', async () => {
    const { password } = stack.credentials.certManager;
    const csr = join(folder, 'lost.csr');
    const config = join(folder, 'lost.json');
    await writeFile(csr, await makeCsr('lost.example.test'));
    await writeFile(config, JSON.stringify((await asJson(['providers']))[0].config));
    const prepare: readonly (readonly string[])[] = [
      ['spaces', 'create', 'Lost'],
      ['issue', csr, '-s', 'Lost', '-p', 'dummy-ca', '--renew'],
      ['fqdns', 'create', 'lost2.example.test', '-s', 'Lost'],
      ['renewals', 'on', 'lost*'],
      ['targets', 'create', 'lost.example.test', '127.0.0.1', '--mode', 'report'],
      ['tokens', 'create', 'lost'],
      ['groups', 'create', 'lost', '--permission', 'READ'],
      ['users', 'create', 'lost', '--email', 'lost@example.test', '--password-file', '-'],
      ['providers', 'create', 'lost', '--kind', 'dummy-ca', '--config', config],
      ['checks', 'create', 'Lost', '--no-assign'],
      ['projects', 'create', 'Lost'],
      [
        'integrations',
        'create',
        'Lost',
        '--project',
        'Lost',
        '--kind',
        'webhook',
        '--url',
        'https://a.example/',
      ],
      ['contexts', 'create', 'lost'],
    ];
    for (const args of prepare) {
      const { code, err } = await certloop(args, { input: `${password}\n` });
      expect({ args, code, err }).toMatchObject({ args, code: 0 });
    }
    const all = { ...refused, ...losing };
    const program = createProgram([], processIo(), () => undefined);
    expect([...Object.keys(all), ...elsewhere].sort()).toEqual(commandsWithYes(program).sort());
    for (const [name, rest] of Object.entries(all)) {
      const args = [...name.split(' '), ...rest];
      const input = `${password}\n`;
      const piped = await certloop(args, { input });
      expect({ name, ...piped }).toMatchObject({
        name,
        code: 2,
        err: expect.stringMatching(/; add --yes to do it\n$/),
      });
      if (name in refused) continue;
      const declined = await certloop(args, { input, answer: 'n' });
      const asked = /Go on\? \[y\/N\] certloop: nothing was changed\n$/;
      expect({ name, ...declined }).toMatchObject({ name, code: 2, err: expect.stringMatching(asked) });
      const agreed = name.startsWith('p')
        ? await certloop([...args, '--yes'], { input })
        : await certloop(args, { input, answer: 'y' });
      expect({ name, ...agreed }).toMatchObject({ name, code: 0 });
    }
  });
});

describe('the command lines of the services', () => {
  const ofMonitor = () => ({ env: stack.plan.environments['check-monitor'] });

  test('are reached by admin with the same words, options, output and exit codes', async () => {
    const words = ['project', 'list', '--json'];
    const listed = await certloopProcess(['admin', 'monitor', ...words], ofMonitor());
    expect(listed).toEqual({ code: 0, out: await inMonitor(...words), err: '' });
    const help = await certloopProcess(['admin', 'manager', '--help'], { env: {} });
    expect(help).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: cert-manager <command>/) });
    const revoke = ['admin', 'monitor', 'key', 'revoke', '--project', 'none', '--kind', 'ping'];
    expect(await certloop(revoke)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/add --yes to do it\n$/),
    });
    expect(await certloopProcess([...revoke, '--yes'], ofMonitor())).toEqual({
      code: 1,
      out: '',
      err: 'check-monitor: there is no project none\n',
    });
  });
});

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

describe('a job', () => {
  test('is watched, and its exit code and the last of its output are reported', async () => {
    await asJson(['checks', 'create', 'Backup', '--timeout', '3600']);
    const job = 'process.stdout.write("half done"); process.exitCode = 3';
    const ended = await certloopProcess(['run', 'Backup', '--', process.execPath, '-e', job]);
    expect(ended).toEqual({ code: 3, out: 'half done', err: '' });
    const [check] = (await asJson(['checks'])).filter(({ name }: { name: string }) => name === 'Backup');
    expect(check).toMatchObject({ status: 'down', n_pings: 2, last_duration: expect.any(Number) });
    expect(await certloop(['ping', check.ping_url])).toMatchObject({ code: 0, out: 'pinged\n' });
  });

  test('passes its output on byte by byte', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x0a]);
    const job = `process.stdout.write(Buffer.from('${bytes.toString('hex')}', 'hex'))`;
    const child = startCertloop(['run', 'Backup', '--', process.execPath, '-e', job]);
    expect(await buffer(child.stdout)).toEqual(bytes);
  });

  test('is ended with the command, and its end is reported', async () => {
    await asJson(['checks', 'create', 'Long']);
    const job = 'process.stdout.write(String(process.pid)); setInterval(() => undefined, 1000)';
    const child = startCertloop(['run', 'Long', '--', process.execPath, '-e', job]);
    const ended = once(child, 'close');
    const [pid] = await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    const [check] = (await asJson(['checks'])).filter(({ name }: { name: string }) => name === 'Long');
    expect(check).toMatchObject({ status: 'down', n_pings: 2 });
  });

  test('that cannot be run is shown and reported', async () => {
    const ended = await certloopProcess(['run', 'Backup', '--', join(folder, 'nothing')]);
    expect(ended).toMatchObject({
      code: 127,
      err: expect.stringContaining('cannot be run: there is no such'),
    });
  });

  test('runs though the monitor cannot be reached', async () => {
    const env = { CERTLOOP_MONITOR_URL: 'http://127.0.0.1:9', CERTLOOP_MONITOR_KEY: 'x' };
    const ended = await certloop(['run', 'Backup', '--', process.execPath, '-e', '0'], { env });
    expect(ended).toMatchObject({ code: 0, err: expect.stringContaining('certloop: ') });
  });
});

test.each([
  [['nonsense'], "unknown command 'nonsense'"],
  [['issue', '--space', 'Shop'], "missing required argument 'csr'"],
  [['issue', 'a.csr'], "required option '-s, --space <space>' not specified"],
  [['expiring', '--within', 'soon'], '--within takes a whole number from 0 to 36500'],
  [['checks', 'create', 'A', '--timeout', '60', '--schedule', '* * * * *'], 'exclude each other'],
  [['checks', 'create', 'A', '--integrations', 'one', '--no-assign'], 'exclude each other'],
])('%j is not understood', async (args, said) => {
  const { code, err } = await certloop(args);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(said) });
});

test('no name at all names no check', async () => {
  for (const args of [
    ['ping', ''],
    ['checks', 'delete', ''],
    ['checks', 'create', ' '],
  ]) {
    expect(await certloop(args)).toMatchObject({
      code: 2,
      err: 'certloop: the name of the check is empty\n',
    });
  }
});

test('a name is found as people write it', async () => {
  await asJson(['spaces', 'create', 'Books']);
  await asJson(['fqdns', 'add', '*.bücher.example', '--space', 'Books']);
  const explained = await certloop(['fqdns', 'explain', '*.Bücher.example.']);
  expect(explained).toMatchObject({ code: 0, err: '' });
});

test('who reads no further ends nothing in a fault', async () => {
  const child = startCertloop(['spaces', '--json']);
  child.stdout.destroy();
  const ended = once(child, 'close');
  expect(await text(child.stderr)).toBe('');
  expect(await ended).toEqual([0, null]);
});

test('who does not answer is named with the address', async () => {
  const env = { CERTLOOP_URL: 'http://127.0.0.1:9', CERTLOOP_TOKEN: 'x' };
  const { code, err } = await certloop(['spaces'], { env });
  expect({ code, err }).toMatchObject({
    code: 1,
    err: expect.stringContaining('cert-manager at http://127.0.0.1:9 does not answer'),
  });
});

test('what is not there is named', async () => {
  expect(await certloopProcess(['fqdns', 'explain', 'gone.example.test'])).toEqual({
    code: 1,
    out: '',
    err: 'certloop: there is no FQDN gone.example.test; certloop fqdns lists those that you may see\n',
  });
});
