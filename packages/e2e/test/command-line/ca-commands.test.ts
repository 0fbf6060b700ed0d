import { X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { type ServiceProcess, startService } from '../../src/service-process.js';
import { freePort } from '../../src/stack-ports.js';
import { runCertloop } from '../support/certloop.js';

const daysOf = ({ validFrom, validTo }: X509Certificate) =>
  (Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000;
const testIf = (isThere: boolean) => (isThere ? test : test.skip);
const hasOpenssl = hasProgram('openssl', 'it judges no key, chain or PKCS#12', ['version']);
const ifOpenssl = testIf(hasOpenssl);
const ifKeytool = testIf(hasProgram('keytool', 'Java reads no PKCS#12', ['-help']));
// it calls OpenSSL
const canUpdate = hasOpenssl && hasProgram('update-ca-certificates', 'no root is installed', ['--help']);

let folder: string;
let url: string;
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-ca-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  service = startService({
    app: 'dummy-ca',
    environment: { ...inheritedEnvironment(), DUMMY_CA_PORT: String(port) },
    healthUrl: `${url}/health`,
    logFile: join(folder, 'dummy-ca.log'),
  });
  await service.ready;
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const certloop = (args: readonly string[], input?: string) =>
  runCertloop(args, {
    env: { HOME: folder, CERTLOOP_CA_URL: url },
    ...(input !== undefined && { input }),
  });

describe('certloop ca issue', () => {
  const names = ['www.shop.test', '*.shop.test', '127.0.0.1', '::1'];
  const at = (file: string) => join(folder, 'out', file);
  const args = ['ca', 'issue', ...names, '--out-dir'];

  test('writes key, certificate, chain, root and PKCS#12 for the owner alone', async () => {
    const { code, out, err } = await certloop([...args, at(''), '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { notAfter, files } = JSON.parse(out) as { notAfter: string; files: Record<string, string> };
    expect(Object.keys(files)).toEqual(['key', 'certificate', 'chain', 'root', 'pkcs12', 'password']);
    for (const file of Object.values(files)) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(at(''))).length).toBe(6);
    const leaf = new X509Certificate(await readFile(at('www.shop.test.pem')));
    expect(leaf.subjectAltName).toBe(
      'DNS:www.shop.test, DNS:*.shop.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect(new Date(notAfter).getTime()).toBe(Date.parse(leaf.validTo));
    expect(daysOf(leaf)).toBeCloseTo(90, 1);
  });

  ifOpenssl('writes a chain and a PKCS#12 file that OpenSSL takes', async () => {
    const verify = ['verify', '-x509_strict', '-CAfile', at('www.shop.test.root.pem'), '-verify_hostname'];
    expect(await say('openssl', [...verify, 'www.shop.test', at('www.shop.test.pem')])).toContain(': OK');
    const pass = `file:${at('www.shop.test.p12.password')}`;
    const read = ['pkcs12', '-in', at('www.shop.test.p12'), '-passin', pass, '-info', '-nodes'];
    const shown = await say('openssl', read);
    expect(shown).toContain('PBES2, PBKDF2, AES-256-CBC, Iteration 100000, PRF hmacWithSHA256');
    expect(shown).toContain('MAC: sha256, Iteration 100000');
    expect(shown.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    const key = /-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----\n/s.exec(shown)?.[0];
    expect(key).toBe(await readFile(at('www.shop.test.key'), 'utf8'));
    await expect(say('openssl', [...read.slice(0, 3), '-passin', 'pass:wrong', '-nodes'])).rejects.toThrow(
      /Mac verify error/,
    );
  });

  ifKeytool('writes a PKCS#12 file that Java takes', async () => {
    const store = ['-keystore', at('www.shop.test.p12'), '-storepass:file', at('www.shop.test.p12.password')];
    expect(await say('keytool', ['-list', ...store])).toMatch(/PrivateKeyEntry/);
  });

  test('does not overwrite files, unless an option permits it', async () => {
    const before = await readFile(at('www.shop.test.key'), 'utf8');
    expect(await certloop([...args, at('')])).toEqual({
      code: 2,
      out: '',
      err: `certloop: ${at('www.shop.test.key')} already exists; --force overwrites it\n`,
    });
    expect(await readFile(at('www.shop.test.key'), 'utf8')).toBe(before);
    await writeFile(at('www.shop.test.pem'), 'public', { mode: 0o644 });
    expect((await certloop([...args, at(''), '--force'])).code).toBe(0);
    expect(await readFile(at('www.shop.test.key'), 'utf8')).not.toBe(before);
    expect((await stat(at('www.shop.test.pem'))).mode & 0o777).toBe(0o600);
  });

  ifOpenssl('takes the kind of key, the days, and the password from a pipe', async () => {
    const more = ['--key-type', 'RSA-2048', '--days', '3', '--password-file', '-'];
    const { code } = await certloop(
      ['ca', 'issue', 'rsa.test', '--out-dir', at(''), ...more],
      'zoë secret\n',
    );
    expect(code).toBe(0);
    const leaf = new X509Certificate(await readFile(at('rsa.test.pem')));
    expect(leaf.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(daysOf(leaf)).toBeCloseTo(3, 1);
    await writeFile(at('password'), 'zoë secret\n');
    const read = ['pkcs12', '-in', at('rsa.test.p12'), '-passin', `file:${at('password')}`, '-nokeys'];
    expect(await say('openssl', read)).toContain('rsa.test');
    expect((await readdir(at(''))).includes('rsa.test.p12.password')).toBe(false);
  });

  test('uses the content and validity of a profile of the dummy CA', async () => {
    const { code, err } = await certloop([
      'ca',
      'issue',
      'p.test',
      '--profile',
      'tlsserver',
      '--out-dir',
      at(''),
    ]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const leaf = new X509Certificate(await readFile(at('p.test.pem')));
    expect(leaf).toMatchObject({ subject: undefined, keyUsage: ['1.3.6.1.5.5.7.3.1'] });
    expect((Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)) / 86_400_000).toBe(45);
    expect((await readdir(at(''))).filter((file) => file.startsWith('p.test.'))).toHaveLength(6);
  });

  test('prefers --days to the validity of the profile', async () => {
    const more = ['--profile', 'shortlived', '--days', '2', '--out-dir', at('')];
    expect(await certloop(['ca', 'issue', 'days.test', ...more])).toMatchObject({ code: 0, err: '' });
    const { validFrom, validTo } = new X509Certificate(await readFile(at('days.test.pem')));
    expect((Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000).toBe(2);
  });

  test('lists the profiles if the name is unknown, and writes nothing', async () => {
    const args = ['ca', 'issue', 'none.test', '--profile', 'server', '--out-dir', at('none')];
    expect(await certloop(args)).toEqual({
      code: 1,
      out: '',
      err: 'certloop: profile: must be one of classic, tlsserver, shortlived, tlsclient\n',
    });
    await expect(readdir(at('none'))).rejects.toThrow(/ENOENT/);
  });

  test.each([
    [['a b'], /a b is neither a host name/, 2],
    [['a.test', '--password-file', '/dev/null'], /has no password in its first line/, 2],
    [['a.test', '--days', '0'], /takes a whole number from 0.01 to 36500 \(days\), or a duration/, 2],
  ])('rejects %j', async (more, sentence, expected) => {
    const { code, err } = await certloop(['ca', 'issue', ...more, '--out-dir', at('none')]);
    expect(err).toMatch(sentence);
    expect(code).toBe(expected);
  });
});

describe('certloop ca trust', () => {
  test('prints the root on standard output, and how to configure programs to trust it', async () => {
    const { code, out, err } = await certloop(['ca', 'trust']);
    const rootPem = await (await fetch(`${url}/root`)).text();
    expect({ code, out }).toEqual({ code: 0, out: rootPem });
    expect(err).toContain('NODE_EXTRA_CA_CERTS');
  });

  testIf(canUpdate)('installs the root into the store of a system in a folder, and removes it', async () => {
    const image = join(folder, 'image');
    for (const each of ['usr/local/share/ca-certificates', 'etc/ssl/certs'])
      mkdirSync(join(image, each), { recursive: true });
    const installed = await certloop(['ca', 'trust', '--install', '--folder', image]);
    expect(installed).toMatchObject({ code: 0 });
    const bundle = () => readFile(join(image, 'etc/ssl/certs/ca-certificates.crt'), 'utf8');
    const rootPem = await (await fetch(`${url}/root`)).text();
    expect(await bundle()).toContain(rootPem.trim());
    expect((await certloop(['ca', 'trust', '--remove', '--folder', image])).code).toBe(0);
    expect(await bundle()).not.toContain(rootPem.trim());
    expect(await certloop(['ca', 'trust', '--remove', '--folder', image])).toMatchObject({ code: 2 });
  });

  test('lists the supported systems on an unsupported one', async () => {
    const { code, err } = await certloop(['ca', 'trust', '--install', '--folder', join(folder, 'nothing')]);
    expect(code).toBe(2);
    expect(err).toMatch(
      /certloop knows no trust store of this machine \(only those of Debian, Red Hat and macOS\)/,
    );
  });
});

describe('certloop check-files', () => {
  const at = (file: string) => join(folder, 'checked', file);
  const checked = async (...args: readonly string[]) => {
    const { code, out, err } = await certloop(['check-files', '--json', ...args]);
    const findings = code === 2 ? [] : (JSON.parse(out) as { check: string; well: boolean }[]);
    return { code, err, faults: findings.flatMap(({ check, well }) => (well ? [] : [check])) };
  };
  beforeAll(async () => {
    for (const name of ['one.test', 'two.test'])
      expect((await certloop(['ca', 'issue', name, '--out-dir', at('')])).code).toBe(0);
  });

  test('accepts a matching key, chain, dates and name', async () => {
    const args = ['--key', at('one.test.key'), '--chain', at('one.test.root.pem'), '--name', 'one.test'];
    expect(await checked('--cert', at('one.test.pem'), ...args)).toEqual({ code: 0, err: '', faults: [] });
  });

  test.each([
    ['a key of another certificate', ['--key', 'two.test.key'], ['pair']],
    ['a chain that leads nowhere', ['--chain', 'two.test.pem'], ['chain']],
    ['a name that is not covered', ['--name', 'www.one.test'], ['name']],
  ])('exits with 1 for %s', async (_, [option = '', value = ''], faults) => {
    const given = option === '--name' ? value : at(value);
    expect(await checked('--cert', at('one.test.pem'), option, given)).toMatchObject({ code: 1, faults });
  });

  test.each([
    ['a file that is not there', 'none.pem', 'there is no such file or folder'],
    ['a file without a certificate', 'one.test.key', 'contains no certificate'],
  ])('exits with 2 for %s', async (_, file, reason) => {
    const { code, err } = await checked('--cert', at(file));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(reason) });
  });
});
