import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dnsIdentifiers } from '@certloop/acme-server/testing';
import { lintCertificate } from '@certloop/crypto/lint';
import { createMovableClock } from '@certloop/server';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeHttpsCertificate } from '../../src/acme/issuance/https-certificate.service.js';
import { loadConfig } from '../../src/config.js';
import { startAcme, type TestAcme } from '../support/acme.js';
import { startCa, type TestCa } from '../support/app.js';
import {
  commonName,
  csrField,
  dns,
  emptyName,
  extensionRequest,
  ip,
  nameOf,
  subjectAltName,
} from '../support/csrs.js';

const permittedNames = { dnsNames: ['corp.test'], cidrs: ['10.0.0.0/8'] };
const ifOpenssl = hasProgram('openssl', 'it judges no constrained root', ['version']) ? test : test.skip;

const csrFor = (...names: Uint8Array[]) =>
  csrField({ subject: emptyName, attributes: [extensionRequest(subjectAltName(...names))] });

describe('a root with permitted names', () => {
  let ca: TestCa;
  beforeAll(async () => {
    ca = await startCa({ permittedNames });
  });

  test('has critical name constraints', () => {
    expect(lintCertificate(ca.root.raw)).toEqual([]);
    // nameConstraints, critical
    expect(ca.root.raw.includes(Buffer.from('0603551d1e0101ff', 'hex'))).toBe(true);
  });

  test.each([
    ['a name below', csrFor(dns('a.corp.test'))],
    ['the name itself and an address', csrFor(dns('corp.test'), ip(10, 1, 2, 3))],
    ['no name at all', csrField({ subject: nameOf([commonName, 'Ada Lovelace']), attributes: [] })],
  ])('signs for %s', async (_, csr) => {
    await ca.issue({ csr });
  });

  test.each([
    ['another name', csrFor(dns('a.corp.test'), dns('login.bank.example')), 'login.bank.example'],
    ['an address outside', csrFor(dns('a.corp.test'), ip(192, 0, 2, 1)), '192.0.2.1'],
    ['a common name alone', csrField({ subject: nameOf([commonName, 'a.test']), attributes: [] }), 'a.test'],
  ])('refuses %s', async (_, csr, name) => {
    const { body } = await ca.sign({ csr }).expect(400);
    expect(body.error).toContain(`is not allowed to issue for "${name}"`);
  });

  ifOpenssl('is one that OpenSSL judges its certificates by', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dummy-ca-constrained-'));
    const [root, leaf] = [join(folder, 'root.pem'), join(folder, 'leaf.pem')];
    writeFileSync(root, ca.authority.rootPem);
    writeFileSync(leaf, (await ca.issue({ csr: csrFor(dns('a.corp.test'), ip(10, 0, 0, 1)) })).pem);
    expect(await say('openssl', ['verify', '-x509_strict', '-CAfile', root, leaf])).toContain(': OK');
    rmSync(folder, { recursive: true });
  });

  test('issues no certificate for other names to the service itself', async () => {
    const clock = createMovableClock(new Date());
    await expect(makeHttpsCertificate(ca.authority, ['localhost'], clock)).rejects.toThrow(
      'DUMMY_CA_HTTPS_NAMES: its issuer is not allowed to issue for "localhost", only for corp.test',
    );
    const names = ['localhost', 'ca.corp.test', '127.0.0.1', '10.0.0.2'];
    const { cert } = await makeHttpsCertificate(ca.authority, names, clock);
    expect(new X509Certificate(cert).subjectAltName).toBe('DNS:ca.corp.test, IP Address:10.0.0.2');
  });
});

describe('ACME below such a root', () => {
  let acme: TestAcme;
  beforeAll(async () => {
    acme = await startAcme({ root: { permittedNames } });
  });
  afterAll(() => acme.close());

  test('issues for names that the root permits', async () => {
    const client = await acme.client();
    await client.issue(dnsIdentifiers('a.corp.test', '*.corp.test'));
  });

  test('rejects an order for others', async () => {
    const client = await acme.client();
    expect(await client.order(dnsIdentifiers('a.corp.test', 'login.bank.example'))).toMatchObject({
      status: 400,
      body: {
        type: 'urn:ietf:params:acme:error:rejectedIdentifier',
        detail: 'its issuer is not allowed to issue for "login.bank.example", only for corp.test',
      },
    });
  });
});

describe('DUMMY_CA_PERMITTED_NAMES', () => {
  const read = (text: string) => loadConfig({ DUMMY_CA_PERMITTED_NAMES: text }).permittedNames;

  test.each([
    ['', undefined],
    ['Corp.test .below.test 10.0.0.0/8', { dnsNames: ['corp.test', '.below.test'], cidrs: ['10.0.0.0/8'] }],
    ['2001:db8::/32', { dnsNames: [], cidrs: ['2001:db8::/32'] }],
  ])('reads %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test.each(['*.corp.test', 'corp..test', '10.0.0.0/33', 'corp.test/8', 'zoë.test'])('refuses %s', (text) => {
    expect(() => read(text)).toThrow('DUMMY_CA_PERMITTED_NAMES');
  });
});
