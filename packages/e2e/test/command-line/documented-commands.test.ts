import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { examples } from '@certloop/cli/dist/src/reference/examples.js';
import { hasProgram } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inheritedEnvironment } from '../../src/config.js';
import { credentialsFile } from '../../src/credentials.js';
import { makeCsr } from '../../src/main-job.js';
import { type Stack, startStack } from '../../src/stack.js';
import { answeringAtOnePort } from '../support/acme-place.js';
import { runCertloop } from '../support/certloop.js';
import { createLineRunner, type LineRunner } from '../support/documented-lines.js';
import { pendingMigrations, revertMigrations } from '../support/pending-migrations.js';
import { readPreparation, readWalk } from '../support/walk-page.js';

// the pages make their keys with it
const ifOpenssl = hasProgram('openssl', 'no documented command is run', ['version'])
  ? describe
  : describe.skip;

let folder: string;
let stack: Stack;
let lines: LineRunner;
let settings: Readonly<Record<string, string>>;

/** The stack in its folder, new or again. */
const startHere = () =>
  startStack({
    dataDir: join(folder, 'data'),
    ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
    environment: { ...inheritedEnvironment(), ...settings, CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true' },
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-policy-'));
  settings = await answeringAtOnePort();
  stack = await startHere();
  lines = await createLineRunner(folder);
  lines.env['CERTLOOP_CREDENTIALS'] = credentialsFile(join(folder, 'data'));
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

const certloop = (args: readonly string[], input?: string) =>
  runCertloop(args, {
    env: {
      CERTLOOP_CREDENTIALS: credentialsFile(join(folder, 'data')),
      XDG_CONFIG_HOME: join(folder, 'config'),
    },
    ...(input !== undefined && { input }),
  });

async function asJson(args: readonly string[]) {
  const { code, out, err } = await certloop([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('the issuance policy of a space', () => {
  const policy = (...options: readonly string[]) => certloop(['spaces', 'policy', 'Limited', ...options]);
  const policyAsJson = (...options: readonly string[]) => asJson(['spaces', 'policy', 'Limited', ...options]);
  const unlimited = { allowedNames: null, providerIds: null };
  const shopNames = {
    names: [],
    suffixes: ['shop.test'],
    wildcards: true,
    cidrs: [],
    beyondFqdn: false,
  };

  test('is printed, tried without a change, and set', async () => {
    await asJson(['spaces', 'create', 'Limited']);
    expect(await policyAsJson()).toEqual(unlimited);
    expect((await policy()).out).toBe('names: any\nproviders: any\n');
    const options = ['--suffix', 'Shop.test', '--wildcards'];
    const tried = await policyAsJson(...options, '--dry-run');
    const change = { allowedNames: shopNames, providerIds: null, newlyRefused: { count: 0, items: [] } };
    expect(tried).toEqual({ ...change, saved: false });
    expect(await policyAsJson()).toEqual(unlimited);
    expect(await policyAsJson(...options)).toEqual({ ...change, saved: true });
    expect(await policy()).toEqual({
      code: 0,
      out: 'names: none\nsuffixes: shop.test\nwildcards: yes\naddresses: none\nnames beyond the FQDN: no\nproviders: any\n',
      err: '',
    });
  });

  test('stays unchanged in what the options do not name', async () => {
    expect(await policyAsJson('--provider', 'dummy-ca', 'acme')).toMatchObject({ allowedNames: shopNames });
    expect((await policy()).out).toMatch(/^providers: (dummy-ca, acme|acme, dummy-ca)$/m);
    expect((await policyAsJson('--any-name')).providerIds).toHaveLength(2);
    expect(await policyAsJson('--any-provider')).toMatchObject(unlimited);
  });

  test('that rejects existing FQDNs is saved only after a confirmation', async () => {
    await asJson(['fqdns', 'add', 'www.old.test', '--space', 'Limited']);
    expect(await policy('--suffix', 'shop.test')).toEqual({
      code: 1,
      out: '',
      err: 'certloop: 1 FQDN that is allowed today would be refused; add --dry-run to list them, or --yes to save the policy all the same\n',
    });
    expect(await policyAsJson()).toEqual(unlimited);
    const tried = await policy('--suffix', 'shop.test', '--dry-run');
    expect(tried).toMatchObject({ code: 0, err: expect.stringMatching(/^certloop: www\.old\.test: .+\n$/) });
    expect(tried.out).toMatch(/^saved: no\nnewly refused: 1$/m);
    expect(await policyAsJson('--suffix', 'shop.test', '--yes')).toMatchObject({
      saved: true,
      newlyRefused: { count: 1, items: [{ fqdn: 'www.old.test', code: 'name_not_allowed' }] },
    });
  });

  test('is set from a file, as it was printed', async () => {
    const printed = await policyAsJson();
    expect(await policyAsJson('--any-name')).toMatchObject(unlimited);
    const set = await certloop(
      ['spaces', 'policy', 'Limited', '--file', '-', '--yes'],
      JSON.stringify(printed),
    );
    expect(set).toMatchObject({ code: 0, out: expect.stringMatching(/^saved: yes$/m) });
    expect(await policyAsJson()).toEqual(printed);
    expect(await policyAsJson('--any-name')).toMatchObject(unlimited);
  });

  test.each([
    [['--any-name', '--suffix', 'a.test'], 2, '--any-name cannot be combined with '],
    [['--provider', 'acme', '--any-provider'], 2, '--provider and --any-provider cannot be combined'],
    [['--yes'], 2, '--dry-run and --yes require a policy: '],
    [['--file', '/dev/null', '--wildcards'], 2, '--file is the whole policy: '],
    [['--file', '/dev/null'], 2, '--file: /dev/null is not a JSON object'],
    [['--provider', 'unknown'], 1, 'there is no provider unknown'],
    [['--suffix', 'a b'], 1, 'allowedNames.suffixes[0]: '],
    [['--cidr', '10.0.0.0/33'], 1, 'allowedNames.cidrs[0]: '],
  ])('rejects %j and changes nothing', async (options, code, sentence) => {
    const refused = await policy(...options);
    expect(refused).toMatchObject({ code, out: '' });
    expect(refused.err.startsWith(`certloop: ${sentence}`)).toBe(true);
    expect(await policyAsJson()).toEqual(unlimited);
  });

  test('is rejected for an unknown space, and for a misspelt member of the file', async () => {
    const missing = await certloop(['spaces', 'policy', 'Nowhere']);
    expect(missing).toMatchObject({
      code: 1,
      err: 'certloop: there is no space Nowhere; certloop spaces lists those that you may see\n',
    });
    const wrong = await certloop(['spaces', 'policy', 'Limited', '--file', '-'], '{"allowedName": null}');
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('allowedName') });
  });
});

ifOpenssl('the examples of help', () => {
  const home = process.cwd();
  let server: TlsServer | undefined;
  afterAll(() => {
    process.chdir(home);
    server?.close();
  });

  /** Serves the certificate that an example has saved, for the example of probe; returns the port. */
  async function serveSaved(): Promise<number> {
    server = createTlsServer({ cert: await readFile('shop.pem'), key: await readFile('shop.key') });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  test('the documented commands work in their order', async () => {
    const files = await mkdtemp(join(folder, 'examples-'));
    process.chdir(files);
    const { url, password } = stack.credentials.certManager;
    await lines.run(
      'openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout shop.key -out shop.csr -subj /CN=shop.example.test -addext subjectAltName=DNS:shop.example.test',
    );
    await writeFile('api.csr', await makeCsr('api.example.test'));
    const { config } = (await asJson(['providers'])).find(
      ({ name }: { name: string }) => name === 'dummy-ca',
    );
    await writeFile('staging.json', JSON.stringify(config));
    await writeFile('password.txt', 'nine green bottles\n');
    const loggedOut = { input: 'nine green bottles\n', env: { CERTLOOP_CREDENTIALS: undefined } };
    const { environments } = stack.plan;
    for (const { of, line } of examples) {
      const here = line.startsWith('certloop probe ')
        ? line.replace(':8443', `:${await serveSaved()}`)
        : line.replace('https://certs.example.org', url);
      if (['login', 'whoami', 'logout'].includes(of)) await lines.run(here, loggedOut);
      else if (line.startsWith('certloop admin manager '))
        await lines.run(here, { env: environments['cert-manager'] });
      else if (of === 'admin') await lines.run(here, { env: environments['check-monitor'] });
      else await lines.run(here, { input: `${password}\n` });
    }
    expect(await readdir(files)).toEqual(expect.arrayContaining(['shop.pem', 'shop.p7b', 'audit.csv']));
  });
});

ifOpenssl('the walk of docs/walk.md', () => {
  const arrived: string[] = [];
  const hook = createServer((request, response) => {
    void text(request).then((body) => arrived.push(body));
    response.end();
  });
  const page = readFileSync(new URL('../../../../../docs/walk.md', import.meta.url), 'utf8');
  const steps = readWalk(page);
  // npm run walk sets it
  const table = process.env['CERTLOOP_WALK_TABLE'];
  const home = process.cwd();
  const mask = process.umask();
  let reverted: string[] = [];

  beforeAll(async () => {
    hook.listen(0, '127.0.0.1');
    await once(hook, 'listening');
    process.chdir(folder);
    // what the examples above leave, if they ran
    await certloop(['spaces', 'delete', 'Shop', '--with-fqdns', '--yes']);
    await certloop(['integrations', 'delete', 'Ops', '--yes']);
    await certloop(['groups', 'delete', 'readers', '--yes']);
    for (const line of readPreparation(page)) await run(line);
  });
  afterAll(() => {
    process.chdir(home);
    process.umask(mask);
    hook.close();
    hook.closeAllConnections();
  });

  /** One line of the page; the stack of the test stands for that of npm start, and this checkout for the new version. */
  async function run(line: string): Promise<void> {
    const { port } = hook.address() as AddressInfo;
    const here = line
      .replace('https://hooks.example.org', `http://127.0.0.1:${port}`)
      .replace('http://localhost:3002', stack.plan.urls['dummy-ca']);
    if (here === 'npm start') stack = await startHere();
    else if (here === 'umask 077') process.umask(0o077);
    else if (here !== 'git pull' && here !== 'npm run build')
      await lines.run(here, { isProcess: table !== undefined });
  }

  test.each(steps)('$title takes the stated number of commands', async ({ title, commands, stated }) => {
    expect(commands).toHaveLength(stated);
    if (title === 'Restore') await asJson(['spaces', 'create', 'After the backup']);
    if (title === 'Restore' || title === 'Upgrade') await stack.stop();
    if (title === 'Upgrade') reverted = await revertMigrations('data');
    const since = performance.now();
    for (const line of commands) await run(line);
    const seconds = (performance.now() - since) / 1000;
    process.stderr.write(`${title}: ${stated} commands, ${seconds.toFixed(1)} s\n`);
    const link = `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`;
    if (table !== undefined) await appendFile(table, `| ${link} | ${stated} | ${seconds.toFixed(1)} |\n`);
  });

  test('does what the page describes', async () => {
    expect(steps).toHaveLength(8);
    expect(page).not.toMatch(/^(curl|wget|npm run monitor)\b/m);
    expect(await readdir('certificates')).toHaveLength(31);
    expect(arrived).not.toEqual([]);
    const lab = 'lab.example.test';
    expect(await asJson(['certificates', 'list', lab])).toHaveLength(1);
    const [job] = await asJson(['issuance-jobs', lab]);
    expect((await certloop(['issuance-jobs', 'get', job.id])).out).toMatch(/^challenges: ok/m);
    const spaces = (await certloop(['spaces', '-o', 'name'])).out;
    expect(spaces).toMatch(/^Shop$/m);
    expect(spaces).not.toContain('After the backup');
    expect((await stat('backup/cert-manager.sqlite')).mode & 0o777).toBe(0o600);
  });

  test('lets the team mate read, but not change, in both services', async () => {
    const { certManager, checkMonitor } = stack.credentials;
    const env = {
      XDG_CONFIG_HOME: await mkdtemp(join(folder, 'ben-')),
      CERTLOOP_MONITOR_URL: checkMonitor.url,
      CERTLOOP_MONITOR_EMAIL: 'ben@example.org',
    };
    const asBen = (args: readonly string[]) => runCertloop(args, { env, input: 'nine green bottles\n' });
    expect(await asBen(['login', '--url', certManager.url, '--username', 'ben'])).toMatchObject({ code: 0 });
    expect((await asBen(['spaces', '-o', 'name'])).out).toBe('Shop\n');
    expect((await asBen(['certificates', 'get', 'www.example.test'])).code).toBe(0);
    expect(await asBen(['fqdns', 'create', 'ben.example.test', '-s', 'Shop'])).toMatchObject({ code: 1 });
    const projects = (await asBen(['projects', '-o', 'json'])).out;
    expect(JSON.parse(projects)).toMatchObject([{ name: 'CertLoop', role: 'read-only' }]);
    expect(await asBen(['projects', 'update', 'CertLoop', '--name', 'Mine'])).toMatchObject({ code: 1 });
  });

  test('upgrades databases of an earlier version, with their data', async () => {
    expect(await pendingMigrations('data-before-upgrade')).toEqual(reverted);
    expect(reverted).toEqual(expect.arrayContaining(['0029-standings', '0010-check-names']));
    expect(await pendingMigrations('data')).toEqual([]);
    const www = await asJson(['certificates', 'list', 'www.example.test']);
    expect(await readFile('certificates/www.example.test.pem', 'utf8')).toContain(www[0].pem.trim());
    expect(await asJson(['fqdns', 'list', '--space', 'Shop'])).toHaveLength(32);
    expect(await asJson(['checks', 'get', 'nightly-backup'])).toMatchObject({ status: 'up', n_pings: 2 });
    expect((await certloop(['integrations', '-o', 'name'])).out).toBe('Ops\n');
  });
});
