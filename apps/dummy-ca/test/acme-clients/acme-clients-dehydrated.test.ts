import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import {
  type ClientPlace,
  externalAccount,
  openClientPlace,
  type Scheme,
  schemes,
  testIf,
} from '../support/client-place.js';
import { startTlsAlpnFolder } from '../support/tls-alpn-folder.js';
import { statusOf, traitsOf, verifiedLeaf } from '../support/verified-leaf.js';

const dehydrated = testIf(hasProgram('dehydrated', 'it proves nothing here'));

let place: ClientPlace;
beforeAll(async () => {
  place = await openClientPlace();
});
afterAll(() => place.close());

/** Folder of a client that has registered an account. */
async function register(scheme: Scheme, ...more: readonly string[]): Promise<string> {
  const base = mkdtempSync(place.at('dehydrated-'));
  const lines = [
    `CA=${place.directory(scheme)}`,
    `CURL_OPTS="--cacert ${place.at('root.pem')}"`,
    `BASEDIR=${base}`,
    `WELLKNOWN=${place.web.challenges}`,
    'KEY_ALGO=prime256v1',
    // of the account; the usual 4096 bits are seconds away
    'KEYSIZE=2048',
    ...more,
  ];
  writeFileSync(join(base, 'config'), [...lines, ''].join('\n'));
  await ask(base, '--register', '--accept-terms');
  return base;
}

const ask = (base: string, ...args: readonly string[]) =>
  say('dehydrated', ['-f', join(base, 'config'), ...args]);

const file = (base: string, name: string, kind: string) => join(base, 'certs', name, `${kind}.pem`);

describe.each(schemes)('dehydrated over %s', (scheme) => {
  dehydrated('issues, renews and revokes', async () => {
    const name = `one.${scheme}.dehydrated.test`;
    const base = await register(scheme);
    const chain = file(base, name, 'fullchain');
    await ask(base, '-c', '-d', name);
    const first = await verifiedLeaf(place, name, chain);
    await ask(base, '-c', '-x', '-d', name);
    const second = await verifiedLeaf(place, name, chain);
    expect(second.serialNumber).not.toBe(first.serialNumber);
    await ask(base, '-r', file(base, name, 'cert'));
    expect([await statusOf(place, first), await statusOf(place, second)]).toEqual(['good', 'unspecified']);
  });

  dehydrated('issues with an external account for a CSR of another key', async () => {
    const name = `csr.${scheme}.dehydrated.test`;
    const base = await register(
      scheme,
      `EAB_KID=${externalAccount.kid}`,
      `EAB_HMAC_KEY=${externalAccount.key}`,
    );
    const said = await ask(base, '--signcsr', await place.foreignCsr(name));
    const end = '-----END CERTIFICATE-----';
    const chain = said.slice(said.indexOf('-----BEGIN'), said.lastIndexOf(end) + end.length);
    writeFileSync(join(base, 'signed.pem'), `${chain}\n`);
    const leaf = await verifiedLeaf(place, name, join(base, 'signed.pem'));
    expect(leaf.subjectAltName).toBe(`DNS:${name}`);
  });
});

describe('dehydrated', () => {
  dehydrated('proves a wildcard by dns-01, and has it up to the root that it prefers', async () => {
    const name = 'wild.dehydrated.test';
    const hook = place.script(
      'dehydrated-records',
      `[ "$1" != deploy_challenge ] || echo "$4" >> "${place.records}/_acme-challenge.$2"`,
    );
    const base = await register('http', `HOOK=${hook}`);
    const preferred = ['--preferred-chain', 'CertLoop Dummy CA Alternate Root'];
    const names = ['-d', `*.${name} ${name}`, '--alias', 'wild'];
    await ask(base, '-c', '-t', 'dns-01', '-a', 'rsa', '--ocsp', ...preferred, ...names);
    const chain = file(base, 'wild', 'fullchain');
    const leaf = await verifiedLeaf(place, `www.${name}`, chain, 'alternate-root.pem');
    expect(leaf.subjectAltName).toBe(`DNS:*.${name}, DNS:${name}`);
    expect(traitsOf(leaf)).toEqual([2048, true]);
  });

  dehydrated('proves a name by tls-alpn-01, and ends its account', async () => {
    const name = 'alpn.dehydrated.test';
    const base = await register('https');
    const answers = await startTlsAlpnFolder(join(base, 'alpn-certs'), place.tlsAlpn01Port);
    try {
      await ask(base, '-c', '-t', 'tls-alpn-01', '-a', 'secp384r1', '-d', name);
    } finally {
      await answers.close();
    }
    const leaf = await verifiedLeaf(place, name, file(base, name, 'fullchain'));
    expect(traitsOf(leaf)).toEqual(['secp384r1', false]);
    // a copy that does not know of the end
    const accounts = join(base, 'accounts');
    cpSync(accounts, `${accounts}-copy`, { recursive: true });
    await ask(base, '--deactivate');
    rmSync(accounts, { recursive: true });
    cpSync(`${accounts}-copy`, accounts, { recursive: true });
    await expect(ask(base, '-c', '-x', '-d', name)).rejects.toThrow(/account is deactivated/);
  });
});
