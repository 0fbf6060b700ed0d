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
import { statusOf, traitsOf, verifiedLeaf } from '../support/verified-leaf.js';

const lego = testIf(hasProgram('lego', 'it proves nothing here'));

let place: ClientPlace;
beforeAll(async () => {
  place = await openClientPlace();
});
afterAll(() => place.close());

/** Runs lego with an account and certificates of its own in a folder below the place. */
function ask(scheme: Scheme, folder: string, args: readonly string[], environment: object = {}) {
  const server = ['--server', place.directory(scheme), '--path', place.at(folder)];
  const account = ['--accept-tos', '-m', 'ada@example.test'];
  return say('lego', [...server, ...account, ...args], {
    LEGO_CA_CERTIFICATES: place.at('root.pem'),
    ...environment,
  });
}

const byWebRoot = () => ['--http', '--http.webroot', place.web.folder];
const renew = ['renew', '--days', '365', '--no-random-sleep'];
/** Files of the leaf and of what is above it. */
const files = (folder: string, name: string) =>
  ['crt', 'issuer.crt'].map((kind) => place.at(folder, 'certificates', `${name}.${kind}`));

describe.each(schemes)('lego over %s', (scheme) => {
  lego('issues, renews and revokes', async () => {
    const name = `one.${scheme}.lego.test`;
    const asked = ['-d', name, '-d', `two.${scheme}.lego.test`, ...byWebRoot()];
    await ask(scheme, scheme, [...asked, 'run']);
    const first = await verifiedLeaf(place, name, files(scheme, name));
    expect(first.subjectAltName).toBe(`DNS:${name}, DNS:two.${scheme}.lego.test`);
    await ask(scheme, scheme, [...asked, ...renew]);
    const second = await verifiedLeaf(place, name, files(scheme, name));
    expect(second.serialNumber).not.toBe(first.serialNumber);
    await ask(scheme, scheme, ['-d', name, 'revoke', '--reason', '4']);
    expect([await statusOf(place, first), await statusOf(place, second)]).toEqual(['good', 'superseded']);
  });

  lego('issues and renews with an external account for a CSR of another key', async () => {
    const name = `csr.${scheme}.lego.test`;
    const folder = `bound-${scheme}`;
    const bound = ['--eab', '--kid', externalAccount.kid, '--hmac', externalAccount.key];
    const asked = [...bound, '--csr', await place.foreignCsr(name), ...byWebRoot()];
    await ask(scheme, folder, [...asked, 'run']);
    const first = await verifiedLeaf(place, name, files(folder, name));
    await ask(scheme, folder, [...asked, ...renew]);
    const second = await verifiedLeaf(place, name, files(folder, name));
    expect(second.serialNumber).not.toBe(first.serialNumber);
    expect(second.publicKey.equals(first.publicKey)).toBe(true);
  });
});

describe('lego', () => {
  lego('proves a name by tls-alpn-01', async () => {
    const name = 'alpn.lego.test';
    const tls = ['--tls', '--tls.port', `127.0.0.1:${place.tlsAlpn01Port}`];
    await ask('https', 'alpn', ['-d', name, ...tls, 'run']);
    expect((await verifiedLeaf(place, name, files('alpn', name))).subjectAltName).toBe(`DNS:${name}`);
  });

  lego('proves a wildcard and its base name by dns-01', async () => {
    const path = place.script(
      'lego-records',
      `[ "$1" != present ] || echo "$3" >> "${place.records}/\${2%.}"`,
    );
    const waits = { EXEC_SEQUENCE_INTERVAL: '1', EXEC_POLLING_INTERVAL: '1' };
    const dns = ['--dns', 'exec', '--dns.disable-cp'];
    const asked = ['-d', '*.wild.lego.test', '-d', 'wild.lego.test', ...dns, 'run'];
    await ask('http', 'wild', asked, { EXEC_PATH: path, ...waits });
    const leaf = await verifiedLeaf(place, 'www.wild.lego.test', files('wild', '_.wild.lego.test'));
    expect(leaf.subjectAltName).toBe('DNS:*.wild.lego.test, DNS:wild.lego.test');
  });

  // the account has a key of the kind as well
  for (const [kind, key] of [
    ['rsa2048', 2048],
    ['ec256', 'prime256v1'],
    ['ec384', 'secp384r1'],
  ] as const) {
    lego(`has certificates for ${kind} that must be stapled`, async () => {
      const name = `${kind}.lego.test`;
      await ask('https', kind, ['-d', name, '-k', kind, ...byWebRoot(), 'run', '--must-staple']);
      expect(traitsOf(await verifiedLeaf(place, name, files(kind, name)))).toEqual([key, true]);
    });
  }

  lego('takes the chain up to the root that it prefers', async () => {
    const name = 'chain.lego.test';
    const preferred = ['--preferred-chain', 'CertLoop Dummy CA Alternate Root'];
    await ask('https', 'chain', ['-d', name, ...byWebRoot(), 'run', ...preferred]);
    await verifiedLeaf(place, name, files('chain', name), 'alternate-root.pem');
  });

  lego('comes again when a nonce is refused', async () => {
    const admin = await fetch(`${place.acme.url}/admin/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ fault: 'badNonce', endpoint: 'newOrder', times: 2 }),
    });
    expect(admin.status).toBe(201);
    await ask('http', 'nonce', ['-d', 'nonce.lego.test', ...byWebRoot(), 'run']);
    await verifiedLeaf(place, 'nonce.lego.test', files('nonce', 'nonce.lego.test'));
  });
});
