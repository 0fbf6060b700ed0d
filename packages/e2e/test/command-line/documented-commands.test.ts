import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examples } from '@certloop/cli/dist/src/reference/examples.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inheritedEnvironment } from '../../src/config.js';
import { credentialsFile } from '../../src/credentials.js';
import { makeCsr } from '../../src/main-job.js';
import { type Stack, startStack } from '../../src/stack.js';
import { runCertloop } from '../support/certloop.js';

let folder: string;
let stack: Stack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-policy-'));
  const ports = { certManager: 0, checkMonitor: 0, dummyCa: 0 };
  stack = await startStack({ dataDir: join(folder, 'data'), ports, environment: inheritedEnvironment() });
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

  test('is shown, tried without a change, and set', async () => {
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

  test('stays as it is where the options do not speak of it', async () => {
    expect(await policyAsJson('--provider', 'dummy-ca', 'acme')).toMatchObject({ allowedNames: shopNames });
    expect((await policy()).out).toMatch(/^providers: (dummy-ca, acme|acme, dummy-ca)$/m);
    expect((await policyAsJson('--any-name')).providerIds).toHaveLength(2);
    expect(await policyAsJson('--any-provider')).toMatchObject(unlimited);
  });

  test('that refuses FQDNs of today is saved after a second thought alone', async () => {
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
    [['--any-name', '--suffix', 'a.test'], 2, '--any-name goes with none of '],
    [['--provider', 'acme', '--any-provider'], 2, '--provider and --any-provider exclude each other'],
    [['--yes'], 2, '--dry-run and --yes go with a policy: '],
    [['--file', '/dev/null', '--wildcards'], 2, '--file is the whole policy; '],
    [['--file', '/dev/null'], 2, '--file: /dev/null is not a JSON object'],
    [['--provider', 'unknown'], 1, 'there is no provider unknown'],
    [['--suffix', 'a b'], 1, 'allowedNames.suffixes[0]: '],
    [['--cidr', '10.0.0.0/33'], 1, 'allowedNames.cidrs[0]: '],
  ])('refuses %j and changes nothing', async (options, code, sentence) => {
    const refused = await policy(...options);
    expect(refused).toMatchObject({ code, out: '' });
    expect(refused.err.startsWith(`certloop: ${sentence}`)).toBe(true);
    expect(await policyAsJson()).toEqual(unlimited);
  });

  test('of a space that does not exist is refused, and a member of the file that is spelt wrongly', async () => {
    const missing = await certloop(['spaces', 'policy', 'Nowhere']);
    expect(missing).toMatchObject({
      code: 1,
      err: 'certloop: there is no space Nowhere; certloop spaces lists those that you may see\n',
    });
    const wrong = await certloop(['spaces', 'policy', 'Limited', '--file', '-'], '{"allowedName": null}');
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('allowedName') });
  });
});

describe('the examples of help', () => {
  const home = process.cwd();
  afterAll(() => process.chdir(home));

  test('work one after the other', async () => {
    const files = await mkdtemp(join(folder, 'examples-'));
    const { password } = stack.credentials.certManager;
    await writeFile(join(files, 'shop.csr'), await makeCsr('shop.example.test'));
    await writeFile(join(files, 'api.csr'), await makeCsr('api.example.test'));
    const { config } = (await asJson(['providers'])).find(
      ({ name }: { name: string }) => name === 'dummy-ca',
    );
    await writeFile(join(files, 'staging.json'), JSON.stringify(config));
    await writeFile(join(files, 'password.txt'), 'nine green bottles\n');
    process.chdir(files);
    for (const { line } of examples) {
      const args = (await wordsOf(line, files)).slice(1);
      const { code, err } = await certloop(args, `${password}\n`);
      expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
    }
    expect(await readdir(files)).toEqual(expect.arrayContaining(['shop.pem', 'shop.p7b', 'audit.csv']));
  });
});

/** The words of a command line, as a shell reads them: without quotes, and with files in place of *.csr. */
async function wordsOf(line: string, folderOfFiles: string): Promise<string[]> {
  const files = await readdir(folderOfFiles);
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)];
  return words.flatMap(([, quoted, bare = '']) => {
    if (quoted !== undefined) return [quoted];
    return bare.startsWith('*') ? files.filter((file) => file.endsWith(bare.slice(1))) : [bare];
  });
}
