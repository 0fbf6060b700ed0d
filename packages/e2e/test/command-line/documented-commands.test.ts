import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { examples } from '@certloop/cli/dist/src/reference/examples.js';
import { hasProgram } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { credentialsFile } from '../../src/credentials.js';
import { makeCsr } from '../../src/main-job.js';
import { type Stack, startStack } from '../../src/stack.js';
import { runCertloop } from '../support/certloop.js';
import { createLineRunner, type LineRunner } from '../support/documented-lines.js';
import { readSteps } from '../support/walk-page.js';

// the pages make their keys with it
const ifOpenssl = hasProgram('openssl', 'no documented command is run', ['version'])
  ? describe
  : describe.skip;

const ifCurl = hasProgram('curl', 'no command of the runbook is run') ? describe : describe.skip;

let folder: string;
let stack: Stack;
let lines: LineRunner;
// it presents a certificate once an example has saved it
const server = createTlsServer({ ca: [] });
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-policy-'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  stack = await startStack({
    dataDir: join(folder, 'data'),
    ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
    environment: {
      ...inheritedEnvironment(),
      PROBE_ALLOW_CIDRS: '127.0.0.0/8',
      PROBE_PORTS: `8443,${port}`,
    },
  });
  lines = await createLineRunner(folder);
  lines.env['CERTLOOP_CREDENTIALS'] = credentialsFile(join(folder, 'data'));
});
afterAll(async () => {
  server.close();
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
    expect(tried).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^certloop: www\.old\.test: .+\ncertloop: 1 FQDN that is allowed today would be refused\n$/,
      ),
    });
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

ifCurl('the runbook', () => {
  const home = process.cwd();
  const page = readFileSync(new URL('../../../../../docs/runbook.md', import.meta.url), 'utf8');
  beforeAll(() => {
    process.chdir(folder);
    const { urls } = stack.plan;
    lines.env['CERT_MANAGER_PORT'] = new URL(urls['cert-manager']).port;
    lines.env['CHECK_MONITOR_PORT'] = new URL(urls['check-monitor']).port;
  });
  afterAll(() => process.chdir(home));

  test.each(readSteps(page))('has commands that run as they stand: $title', async ({ commands }) => {
    for (const line of commands) await lines.run(line);
  });
});

ifOpenssl('the examples of help', () => {
  const home = process.cwd();
  let isServing = false;
  // as lego names them to a hook
  const renewed = {
    LEGO_CERT_PATH: 'machine/current/fullchain.pem',
    LEGO_CERT_KEY_PATH: 'machine/current/key.pem',
  };
  afterAll(() => process.chdir(home));

  /** Serves the certificate that an example has saved, for the examples that look at it. */
  async function serveSaved(): Promise<void> {
    if (isServing) return;
    server.setSecureContext({ ca: [], cert: await readFile('shop.pem'), key: await readFile('shop.key') });
    isServing = true;
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
    await writeFile('servers.txt', `# ours\n127.0.0.1:${port} shop.example.test\n`);
    const loggedOut = { input: 'nine green bottles\n', env: { CERTLOOP_CREDENTIALS: undefined } };
    const { environments } = stack.plan;
    for (const { of, line } of examples) {
      const looks = ['probe', 'watch', 'deploy-hook'].includes(of);
      if (looks) await serveSaved();
      const here = looks ? line.replace(':8443', `:${port}`) : line.replace('https://certs.example.org', url);
      if (['login', 'whoami', 'logout'].includes(of)) await lines.run(here, loggedOut);
      else if (of === 'deploy-hook') await lines.run(here, { env: renewed });
      else if (line.startsWith('certloop admin manager '))
        await lines.run(here, { env: environments['cert-manager'] });
      else if (of === 'admin') await lines.run(here, { env: environments['check-monitor'] });
      else await lines.run(here, { input: `${password}\n` });
    }
    expect(await readdir(files)).toEqual(expect.arrayContaining(['shop.pem', 'shop.p7b', 'audit.csv']));
  });
});
