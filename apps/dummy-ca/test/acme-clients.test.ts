import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acmeRenewalInfoSchema } from '@certloop/contracts';
import { buildCsr, lintCertificate, parseCertificate, splitChain } from '@certloop/crypto';
import { type Listening, listen } from '@certloop/server';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { makeHttpsCertificate } from '../src/acme/https-certificate.service.js';
import { renewalIdOf } from '../src/acme/renewal-window.js';
import { startAcme, type TestAcme } from './support/acme.js';
import { p256 } from './support/csrs.js';
import { startWebRoot, type WebRoot } from './support/web-root.js';

// Clients are processes of their own, some of them in Python, and wait between their looks.
jest.setTimeout(120_000);

// Unmodified clients that nobody here wrote; what is not installed is named, not passed over.
const unproven = 'it proves nothing here';
const ifPresent = (isThere: boolean) => (isThere ? test : test.skip);
const lego = ifPresent(hasProgram('lego', unproven));
const certbot = ifPresent(hasProgram('certbot', unproven));
const dehydrated = ifPresent(hasProgram('dehydrated', unproven));
const hasUacme = hasProgram('uacme', unproven, ['-V'], 2);
const uacme = ifPresent(hasUacme);
// uacme takes its roots from the system alone, so they are laid over for its process.
const canMount = hasUacme && hasProgram('unshare', 'uacme is not asked over https', ['-m', 'true']);
const uacmeByHttps = ifPresent(canMount);
const hasOpenssl = hasProgram('openssl', 'it judges no chain', ['version']);
const hasCerttool = hasProgram('certtool', 'it judges no chain');

// Of octets that differ: dehydrated reads the key by hexdump, which leaves repeated lines out.
const macKey = Buffer.from(Array.from({ length: 48 }, (_, place) => place * 5));
let folder: string;
let web: WebRoot;
let acme: TestAcme;
let secure: Listening;
let tlsAlpn01Port: number;
const at = (...parts: readonly string[]) => join(folder, ...parts);
const byHttp = () => `${acme.url}/acme/directory`;
const byHttps = () => `https://localhost:${new URL(secure.url).port}/acme/directory`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dummy-ca-acme-'));
  web = await startWebRoot(at('web'));
  tlsAlpn01Port = await freePort();
  acme = await startAcme({
    now: new Date(),
    settings: { externalAccounts: new Map([['kid-1', macKey]]), retryAfterSeconds: 1 },
    validation: { mode: 'real', http01Port: web.port, tlsAlpn01Port, resolveTo: '127.0.0.1' },
  });
  const tls = await makeHttpsCertificate(acme.authority, ['localhost', '127.0.0.1'], acme.clock);
  const [handler] = acme.server.listeners('request');
  secure = await listen(handler as Parameters<typeof listen>[0], { host: '127.0.0.1', port: 0, tls });
  writeFileSync(at('root.pem'), acme.authority.rootPem);
});
afterAll(async () => {
  await secure.close();
  await acme.close();
  await web.close();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A CSR of a key that no client has seen. */
async function foreignCsr(name: string): Promise<string> {
  const { pem } = await buildCsr({ privateKey: p256().privateKey, dnsNames: [name] });
  const path = at(`${name}.csr`);
  writeFileSync(path, pem);
  return path;
}

/** The leaf of a file, after OpenSSL, GnuTLS and our own lint found its chain sound. */
async function soundLeaf(
  name: string,
  leafPath: string,
  ...above: readonly string[]
): Promise<X509Certificate> {
  const chain = [leafPath, ...above].flatMap((path) => splitChain(readFileSync(path, 'utf8')));
  const [leaf = Buffer.alloc(0), intermediate = Buffer.alloc(0)] = chain;
  expect(lintCertificate(leaf, intermediate)).toEqual([]);
  const paths = { leaf: at('leaf.pem'), above: at('above.pem'), chain: at('chain.pem') };
  const pems = [leaf, intermediate].map((der) => new X509Certificate(der).toString());
  writeFileSync(paths.leaf, pems[0] ?? '');
  writeFileSync(paths.above, pems[1] ?? '');
  writeFileSync(paths.chain, pems.join(''));
  if (hasOpenssl) {
    const args = ['verify', '-x509_strict', '-CAfile', at('root.pem'), '-untrusted', paths.above];
    expect(await say('openssl', [...args, '-verify_hostname', name, paths.leaf])).toContain(': OK');
  }
  if (hasCerttool) {
    const args = ['--verify', '--load-ca-certificate', at('root.pem'), '--infile', paths.chain];
    expect(await say('certtool', [...args, '--verify-hostname', name])).toContain(
      'Chain verification output: Verified',
    );
  }
  return new X509Certificate(leaf);
}

/** Whether renewalInfo asks to renew at once, which it does for what is revoked. */
async function isRevoked(leaf: X509Certificate): Promise<boolean> {
  const id = renewalIdOf(parseCertificate(leaf.raw));
  const answer = await (await fetch(`${acme.url}/acme/renewal-info/${id}`)).json();
  return new Date(acmeRenewalInfoSchema.parse(answer).suggestedWindow.end) <= acme.clock.now();
}

describe('lego', () => {
  const args = (server: string, ...more: readonly string[]) => [
    ...['--server', server, '--accept-tos', '-m', 'ada@example.test', '--path', at('lego')],
    ...more,
  ];
  const environment = () => ({ LEGO_CA_CERTIFICATES: at('root.pem') });
  const files = (name: string) =>
    ['crt', 'issuer.crt'].map((kind) => at('lego', 'certificates', `${name}.${kind}`)) as [string, string];

  lego('issues, renews and revokes over http', async () => {
    const name = 'one.lego.test';
    const webroot = ['-d', name, '-d', 'two.lego.test', '--http', '--http.webroot', web.folder];
    await say('lego', args(byHttp(), ...webroot, 'run'));
    const first = await soundLeaf(name, ...files(name));
    expect(first.subjectAltName).toBe('DNS:one.lego.test, DNS:two.lego.test');
    await say('lego', args(byHttp(), ...webroot, 'renew', '--days', '365', '--no-random-sleep'));
    const second = await soundLeaf(name, ...files(name));
    expect(second.serialNumber).not.toBe(first.serialNumber);
    await say('lego', args(byHttp(), '-d', name, 'revoke'));
    expect([await isRevoked(first), await isRevoked(second)]).toEqual([false, true]);
  });

  lego('issues over https with an external account, by tls-alpn-01', async () => {
    const name = 'three.lego.test';
    const eab = ['--eab', '--kid', 'kid-1', '--hmac', macKey.toString('base64url')];
    const tls = ['-d', name, '--tls', '--tls.port', `127.0.0.1:${tlsAlpn01Port}`];
    await say('lego', args(byHttps(), ...eab, ...tls, 'run'), environment());
    expect((await soundLeaf(name, ...files(name))).subjectAltName).toBe(`DNS:${name}`);
  });

  lego('issues over https for a CSR of another key', async () => {
    const name = 'four.lego.test';
    const csr = ['--csr', await foreignCsr(name), '--http', '--http.webroot', web.folder];
    await say('lego', args(byHttps(), ...csr, 'run'), environment());
    expect((await soundLeaf(name, ...files(name))).subjectAltName).toBe(`DNS:${name}`);
  });
});

describe('certbot', () => {
  const folders = () => ['--config-dir', at('c'), '--work-dir', at('w'), '--logs-dir', at('l')];
  const args = (command: string, server: string, ...more: readonly string[]) => [
    ...[command, '-n', '--server', server, ...folders(), ...more],
  ];
  const obtain = () => [
    ...['--webroot', '-w', web.folder, '--agree-tos', '-m', 'ada@example.test', '--no-eff-email'],
  ];
  const live = (name: string, file: string) => at('c', 'live', name, file);

  certbot('issues, renews and revokes over http', async () => {
    const name = 'one.certbot.test';
    await say('certbot', args('certonly', byHttp(), ...obtain(), '-d', name));
    const first = await soundLeaf(name, live(name, 'fullchain.pem'));
    const force = ['--force-renewal', '--no-random-sleep-on-renew', '--cert-name', name];
    await say('certbot', args('renew', byHttp(), ...force));
    const second = await soundLeaf(name, live(name, 'fullchain.pem'));
    expect(second.serialNumber).not.toBe(first.serialNumber);
    const why = ['--reason', 'superseded', '--no-delete-after-revoke'];
    await say('certbot', args('revoke', byHttp(), '--cert-name', name, ...why));
    expect([await isRevoked(first), await isRevoked(second)]).toEqual([false, true]);
  });

  certbot('issues over https with an external account, up to the root it prefers', async () => {
    const name = 'two.certbot.test';
    const eab = ['--eab-kid', 'kid-1', '--eab-hmac-key', macKey.toString('base64url')];
    const chain = ['--preferred-chain', 'CertLoop Dummy CA Alternate Root'];
    const environment = { REQUESTS_CA_BUNDLE: at('root.pem') };
    await say('certbot', args('certonly', byHttps(), ...obtain(), ...eab, ...chain, '-d', name), environment);
    const above = new X509Certificate(readFileSync(live(name, 'chain.pem')));
    expect(above.issuer).toContain('Alternate Root');
    const files = [
      '--cert-path',
      at('f.pem'),
      '--fullchain-path',
      at('ff.pem'),
      '--chain-path',
      at('fc.pem'),
    ];
    const csr = ['--csr', await foreignCsr('csr.certbot.test'), ...files];
    await say('certbot', args('certonly', byHttps(), ...obtain(), ...csr), environment);
    expect((await soundLeaf('csr.certbot.test', at('ff.pem'))).subjectAltName).toBe('DNS:csr.certbot.test');
  });
});

describe('dehydrated', () => {
  /** Folder of a configuration for the server. */
  function configure(server: string, ...more: readonly string[]): string {
    const base = mkdtempSync(at('dehydrated-'));
    const lines = [`CA=${server}`, `BASEDIR=${base}`, `WELLKNOWN=${web.challenges}`, 'KEY_ALGO=prime256v1'];
    writeFileSync(join(base, 'config'), [...lines, ...more, ''].join('\n'));
    return base;
  }
  const ask = (base: string, ...args: readonly string[]) =>
    say('dehydrated', ['-f', join(base, 'config'), ...args]);

  dehydrated('issues, renews and revokes over http', async () => {
    const name = 'one.dehydrated.test';
    const base = configure(byHttp());
    const file = (kind: string) => join(base, 'certs', name, `${kind}.pem`);
    await ask(base, '--register', '--accept-terms');
    await ask(base, '-c', '-d', name);
    const first = await soundLeaf(name, file('fullchain'));
    await ask(base, '-c', '-x', '-d', name);
    const second = await soundLeaf(name, file('fullchain'));
    expect(second.serialNumber).not.toBe(first.serialNumber);
    await ask(base, '-r', file('cert'));
    expect([await isRevoked(first), await isRevoked(second)]).toEqual([false, true]);
  });

  dehydrated('issues over https with an external account, also for a CSR of another key', async () => {
    const eab = ['EAB_KID=kid-1', `EAB_HMAC_KEY=${macKey.toString('base64url')}`];
    const base = configure(byHttps(), ...eab, `CURL_OPTS="--cacert ${at('root.pem')}"`);
    await ask(base, '--register', '--accept-terms');
    const name = 'two.dehydrated.test';
    const said = await ask(base, '--signcsr', await foreignCsr(name));
    const path = at('signed.pem');
    writeFileSync(
      path,
      said.slice(said.indexOf('-----BEGIN'), said.lastIndexOf('-----END CERTIFICATE-----') + 26),
    );
    expect((await soundLeaf(name, path)).subjectAltName).toBe(`DNS:${name}`);
  });
});

describe('uacme', () => {
  const hook = '/usr/share/uacme/uacme.sh';
  const environment = () => ({ UACME_CHALLENGE_PATH: web.challenges });

  uacme('issues, renews and revokes over http', async () => {
    const name = 'one.uacme.test';
    const base = ['-y', '-a', byHttp(), '-c', at('u')];
    const issue = [...base, '-t', 'EC', '-h', hook, 'issue', name];
    mkdirSync(at('u'));
    await say('uacme', [...base, 'new']);
    await say('uacme', issue, environment());
    const first = await soundLeaf(name, at('u', name, 'cert.pem'));
    await say('uacme', ['-f', ...issue], environment());
    const second = await soundLeaf(name, at('u', name, 'cert.pem'));
    expect(second.serialNumber).not.toBe(first.serialNumber);
    await say('uacme', [...base, 'revoke', at('u', name, 'cert.pem')]);
    expect([await isRevoked(first), await isRevoked(second)]).toEqual([false, true]);
  });

  uacmeByHttps('issues over https with an external account for a CSR of another key', async () => {
    const name = 'two.uacme.test';
    const csr = await foreignCsr(name);
    const base = `uacme -y -a ${byHttps()} -c ${at('us')}`;
    const script = [
      `mount --bind ${at('root.pem')} /etc/ssl/certs/ca-certificates.crt`,
      `${base} -e kid-1:${macKey.toString('base64url')} new`,
      `${base} -h ${hook} issue ${csr}`,
    ];
    mkdirSync(at('us'));
    await say('unshare', ['-m', 'sh', '-ec', script.join('\n')], environment());
    expect((await soundLeaf(name, at(`${name}-cert.pem`))).subjectAltName).toBe(`DNS:${name}`);
  });
});
