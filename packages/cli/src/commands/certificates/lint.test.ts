import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCsr } from '@certloop/crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCertloop, serve } from '../../certloop.fixture.js';

const host = 'www.example.org';
let folder: string;
let pem: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-lint-'));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const request = { privateKey, dnsNames: [host], subject: { commonName: host } };
  pem = (await buildCsr(request)).pem;
  const must = { oid: '1.3.6.1.5.5.7.1.24', critical: false, value: Buffer.from('3003020105', 'hex') };
  const key = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
  const files = {
    'good.csr': pem,
    'staple.csr': (await buildCsr({ ...request, extensions: [must] })).pem,
    'p521.csr': (await buildCsr({ ...request, privateKey: key })).pem,
    'key.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true }));

const lint = (file: string, ...args: string[]) =>
  runCertloop(['lint', file === '-' ? file : join(folder, file), ...args], { env: {} });

test.each<[string, string[], number]>([
  ['good.csr', [], 0],
  ['good.csr', ['--fqdn', host], 0],
  ['good.csr', ['--fqdn', 'WWW.Example.ORG'], 0],
  ['good.csr', ['--fqdn', 'a.example.org'], 1],
  ['staple.csr', [], 0],
  ['staple.csr', ['--strict'], 1],
  ['staple.csr', ['--strict', '--profile', 'private'], 0],
  ['p521.csr', [], 1],
  ['p521.csr', ['--profile', 'acme'], 1],
  ['p521.csr', ['--profile', 'private'], 0],
  ['key.pem', [], 1],
  ['none.csr', [], 2],
  ['good.csr', ['--fqdn', 'a..b'], 2],
  ['good.csr', ['--profile', 'other'], 2],
])('%s with %j exits with %i', async (file, args, code) => {
  expect(await lint(file, ...args)).toMatchObject({ code });
});

test('prints what is wrong and the command that repairs it, with the name of the key', async () => {
  const { out, err } = await lint('good.csr', '--fqdn', 'a.example.org', '--key', "it's.key");
  expect(err).toBe('');
  expect(out.split('\n')).toEqual([
    'A CA would refuse this CSR.',
    'error  its DNS names are www.example.org; the FQDN is a.example.org (docs/csr-lint.md#fqdn_not_covered)',
    'Create the CSR again with the same key.',
    "openssl req -new -key 'it'\\''s.key' -out 'a.example.org.csr' -subj '/CN=a.example.org' -addext 'subjectAltName=DNS:a.example.org,DNS:www.example.org'",
    '',
  ]);
});

test('prints verdict and findings for programs', async () => {
  const { out } = await lint('staple.csr', '-o', 'json');
  expect(JSON.parse(out)).toMatchObject({
    verdict: 'warnings',
    findings: [{ code: 'must_staple', severity: 'warning', fix: { openssl: expect.any(String) } }],
  });
});

test('reads standard input', async () => {
  const readText = async (file: string) => (file === '-' ? pem : '');
  const { code, out } = await runCertloop(['lint', '-'], { env: {}, io: { readText } });
  expect({ code, out }).toEqual({ code: 0, out: 'A CA would accept this CSR.\n' });
});

test('prints nothing of a private key', async () => {
  const { out, err } = await lint('key.pem');
  expect(out).toContain('private_key_present');
  expect(out + err).not.toMatch(/MI[A-Za-z0-9+/]{10}/);
});

test('a refused upload prints what repairs it', async () => {
  const fix = { openssl: "openssl req -new -key 'a.key'", text: 'Create the CSR again.' };
  const id = '00000000-0000-4000-8000-000000000001';
  const service = await serve(({ method, path }) =>
    method === 'POST'
      ? { status: 400, body: { code: 'csr_san_mismatch', detail: 'another name', fix } }
      : { status: 200, body: path === '/fqdns' ? [{ id, spaceId: id, fqdn: host }] : [] },
  );
  const env = { CERTLOOP_URL: service.url, CERTLOOP_TOKEN: 'clt_x' };
  const upload = ['csrs', 'create', host, join(folder, 'good.csr')];
  expect((await runCertloop(upload, { env })).err).toBe(
    `certloop: another name\nCreate the CSR again.\n${fix.openssl}\n`,
  );
  const { err } = await runCertloop([...upload, '-o', 'json'], { env });
  expect(JSON.parse(err)).toMatchObject({ error: { fix } });
  service.close();
});
