import { X509Certificate } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { hasProgram, programOfToday, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type ClientPlace, externalAccount, openClientPlace, testIf } from '../support/client-place.js';
import { lintOfTlsServer, statusOf, traitsOf, validSeconds, verifiedLeaf } from '../support/verified-leaf.js';

const program = programOfToday('lego');
const lego = testIf(hasProgram(program, 'no client asks for profiles and renewal information'));

type RequestCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

let place: ClientPlace;
beforeAll(async () => {
  place = await openClientPlace();
});
afterAll(() => place.close());

/** Runs lego with an account and certificates of its own in a folder below the place; it refuses plain http. */
function ask(folder: string, args: readonly string[], environment: object = {}) {
  const server = ['--server', place.directory('https'), '--path', place.at(folder)];
  const account = ['--accept-tos', '-m', 'ada@example.test'];
  return say(program, [...server, ...account, ...args], {
    LEGO_CA_CERTIFICATES: place.at('root.pem'),
    ...environment,
  });
}

const byWebRoot = () => ['--http', '--http.webroot', place.web.folder];
const fileOf = (folder: string, name: string, kind: string) =>
  place.at(folder, 'certificates', `${name}.${kind}`);
/** Files of the leaf and of what is above it. */
const files = (folder: string, name: string) =>
  ['crt', 'issuer.crt'].map((kind) => fileOf(folder, name, kind));
const leafIn = (folder: string, name: string) =>
  new X509Certificate(readFileSync(fileOf(folder, name, 'crt')));

/** Numbers of requests by endpoint and status since the last time. */
async function requestsSince(): Promise<RequestCounts> {
  const counts = await fetch(`${place.acme.url}/admin/requests`);
  await fetch(`${place.acme.url}/admin/requests`, { method: 'DELETE' });
  return ((await counts.json()) as { readonly requests: RequestCounts }).requests;
}

describe('lego of today', () => {
  lego('orders the profile that it is asked for, and one that is not there in vain', async () => {
    const asked = ['-d', 'brief.lego.test', ...byWebRoot(), 'run', '--profile'];
    await expect(ask('brief', [...asked, 'nosuch'])).rejects.toThrow(/invalidProfile/);
    await ask('brief', [...asked, 'shortlived']);
    const chain = files('brief', 'brief.lego.test');
    const leaf = await verifiedLeaf(place, 'brief.lego.test', chain, 'root.pem', lintOfTlsServer);
    // the server's purpose alone (RFC 5280 §4.2.1.12), and no common name
    expect([validSeconds(leaf), leaf.keyUsage, leaf.subject]).toEqual([
      576_000,
      ['1.3.6.1.5.5.7.3.1'],
      undefined,
    ]);
  });

  lego('renews when the CA wants it, and says what it replaces', async () => {
    const name = 'ari.lego.test';
    const asked = ['-d', name, ...byWebRoot()];
    const renew = [...asked, 'renew', '--no-random-sleep'];
    await ask('ari', [...asked, 'run']);
    const first = leafIn('ari', name);
    await ask('ari', renew);
    expect(leafIn('ari', name).serialNumber).toBe(first.serialNumber);
    copyFileSync(fileOf('ari', name, 'crt'), place.at('first.crt'));
    await place.wantRenewed(first);
    await ask('ari', renew);
    const second = await verifiedLeaf(place, name, files('ari', name));
    expect(second.serialNumber).not.toBe(first.serialNumber);
    // with the first one back, lego names it again, and the server knows its successor
    copyFileSync(place.at('first.crt'), fileOf('ari', name, 'crt'));
    await requestsSince();
    await ask('ari', renew);
    expect(await requestsSince()).toMatchObject({ newOrder: { 409: 1, 201: 1 }, renewalInfoOf: { 200: 1 } });
  });

  lego('has a certificate for an address', async () => {
    await ask('address', ['-d', '127.0.0.1', '--disable-cn', ...byWebRoot(), 'run']);
    const leaf = await verifiedLeaf(place, '127.0.0.1', files('address', '127.0.0.1'));
    expect(leaf.subjectAltName).toBe('IP Address:127.0.0.1');
  });

  lego('proves a name by tls-alpn-01', async () => {
    const tls = ['--tls', '--tls.port', `127.0.0.1:${place.tlsAlpn01Port}`];
    await ask('alpn', ['-d', 'alpn.lego.test', ...tls, 'run']);
    const leaf = await verifiedLeaf(place, 'alpn.lego.test', files('alpn', 'alpn.lego.test'));
    expect(leaf.subjectAltName).toBe('DNS:alpn.lego.test');
  });

  lego('proves a wildcard and its base name by dns-01', async () => {
    const path = place.script(
      'lego-records',
      `[ "$1" != present ] || echo "$3" >> "${place.records}/\${2%.}"`,
    );
    const waits = {
      EXEC_SEQUENCE_INTERVAL: '1',
      EXEC_POLLING_INTERVAL: '1',
      LEGO_DISABLE_CNAME_SUPPORT: 'true',
    };
    const dns = ['--dns', 'exec', '--dns.propagation-disable-ans'];
    const asked = ['-d', '*.wild.lego.test', '-d', 'wild.lego.test', ...dns, 'run'];
    await ask('wild', asked, { EXEC_PATH: path, ...waits });
    const leaf = await verifiedLeaf(place, 'www.wild.lego.test', files('wild', '_.wild.lego.test'));
    expect(leaf.subjectAltName).toBe('DNS:*.wild.lego.test, DNS:wild.lego.test');
  });

  lego('has certificates for an external account and a CSR of another key, and revokes', async () => {
    const name = 'csr.lego.test';
    const bound = ['--eab', '--kid', externalAccount.kid, '--hmac', externalAccount.key];
    const csr = ['--csr', await place.foreignCsr(name), ...byWebRoot()];
    await ask('bound', [...bound, ...csr, 'run']);
    const leaf = await verifiedLeaf(place, name, files('bound', name));
    await ask('bound', [...bound, '-d', name, 'revoke', '--reason', '4']);
    expect(await statusOf(place, leaf)).toBe('superseded');
  });

  lego('has certificates of RSA that must be stapled, up to the root that it prefers', async () => {
    const name = 'rsa.lego.test';
    const run = ['run', '--must-staple', '--preferred-chain', 'CertLoop Dummy CA Alternate Root'];
    await ask('rsa', ['-d', name, '-k', 'rsa2048', ...byWebRoot(), ...run]);
    const leaf = await verifiedLeaf(place, name, files('rsa', name), 'alternate-root.pem');
    expect(traitsOf(leaf)).toEqual([2048, true]);
  });
});
