import { generateKeyPairSync } from 'node:crypto';
import { type Identifier, parseAcmeCsr } from '@certloop/acme-server/rules';
import { buildCsr, type CsrRequest } from '@certloop/crypto';
import { describe, expect, test } from 'vitest';
import {
  algorithms,
  type CsrParts,
  csrDer,
  dns,
  emptyName,
  extensionRequest,
  rsa,
  subjectAltName,
} from '../../../test/support/csrs.js';

const ec = (namedCurve = 'P-256') => generateKeyPairSync('ec', { namedCurve });
const { privateKey } = ec();
const account = ec();
const a: Identifier = { type: 'dns', value: 'a.test' };
const b: Identifier = { type: 'dns', value: 'b.test' };
const long: Identifier = { type: 'dns', value: `${'a'.repeat(59)}.test` };
const tooLong: Identifier = { type: 'dns', value: `${'a'.repeat(60)}.test` };
const ip: Identifier = { type: 'ip', value: '2001:db8::1' };
const weakRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const mustStaple = { oid: '1.3.6.1.5.5.7.1.24', critical: false, value: Buffer.of(0x30, 3, 2, 1, 5) };

async function textOf(request: Partial<CsrRequest>): Promise<string> {
  return (await buildCsr({ privateKey, ...request })).der.toString('base64url');
}

describe('parseAcmeCsr (RFC 8555 §7.4)', () => {
  test.each<[string, Partial<CsrRequest>, Identifier[], string | undefined]>([
    ['names in the SAN', { dnsNames: ['b.test', 'a.test'] }, [a, b], undefined],
    ['names in capitals', { dnsNames: ['A.Test'] }, [a], undefined],
    ['a name in SAN and CN', { dnsNames: ['a.test'], subject: { commonName: 'a.test' } }, [a], 'a.test'],
    ['a name in the CN alone', { subject: { commonName: 'a.test' } }, [a], 'a.test'],
    [
      'one in the SAN, another in the CN',
      { dnsNames: ['b.test'], subject: { commonName: 'a.test' } },
      [a, b],
      'a.test',
    ],
    ['a CN of 64 characters', { subject: { commonName: long.value } }, [long], long.value],
    [
      'a CN of 65 characters, which is left out',
      { subject: { commonName: tooLong.value } },
      [tooLong],
      undefined,
    ],
    ['an address', { ipAddresses: ['2001:db8::1'] }, [ip], undefined],
    ['a CN in capitals', { dnsNames: ['a.test'], subject: { commonName: 'A.Test' } }, [a], 'a.test'],
    ['a wildcard', { dnsNames: ['*.a.test'] }, [{ type: 'dns', value: '*.a.test' }], undefined],
    ['P-384', { dnsNames: ['a.test'], privateKey: ec('P-384').privateKey }, [a], undefined],
    [
      'Ed25519',
      { dnsNames: ['a.test'], privateKey: generateKeyPairSync('ed25519').privateKey },
      [a],
      undefined,
    ],
  ])('takes %s', async (_, request, identifiers, commonName) => {
    const parsed = parseAcmeCsr(await textOf(request), identifiers, account.publicKey);
    expect(parsed.commonName).toBe(commonName);
  });

  test.each<[string, Partial<CsrRequest>, Identifier[], RegExp]>([
    ['a name less', { dnsNames: ['a.test'] }, [a, b], /lacks/],
    ['a name more', { dnsNames: ['a.test', 'b.test'] }, [a], /has names that the order does not have/],
    [
      'another CN',
      { dnsNames: ['a.test'], subject: { commonName: 'b.test' } },
      [a],
      /has names that the order does not have/,
    ],
    ['no name', { subject: { organization: 'x' } }, [a], /lacks/],
    ['a mail address', { dnsNames: ['a.test'], emailAddresses: ['a@a.test'] }, [a], /other kinds/],
    ['a URI', { dnsNames: ['a.test'], uris: ['spiffe://a'] }, [a], /other kinds/],
    [
      'an address in the CN too',
      { ipAddresses: ['2001:db8::1'], subject: { commonName: '2001:db8::1' } },
      [ip],
      /common name 2001:db8::1 .* is an address; request it only in the subjectAltName/,
    ],
    [
      'an address in the CN alone, written at length',
      { subject: { commonName: '2001:0DB8:0:0:0:0:0:1' } },
      [ip],
      /is an address/,
    ],
    ['an address as a name', { dnsNames: ['2001:db8::1'] }, [ip], /has names that the order does not have/],
    ['the key of the account', { dnsNames: ['a.test'], privateKey: account.privateKey }, [a], /the account/],
    ['RSA of 1024 bits', { dnsNames: ['a.test'], privateKey: weakRsa.privateKey }, [a], /1024 bits/],
    ['another curve', { dnsNames: ['a.test'], privateKey: ec('secp256k1').privateKey }, [a], /not accepted/],
  ])('refuses %s', async (_, request, identifiers, reason) => {
    const text = await textOf(request);
    expect(() => parseAcmeCsr(text, identifiers, account.publicKey)).toThrow(
      expect.objectContaining({ type: 'badCSR', message: expect.stringMatching(reason) }),
    );
  });

  test.each<[string, CsrParts]>([
    ['SHA-1 with ECDSA', { hash: 'sha1', signatureAlgorithm: algorithms.ecdsaSha1 }],
    ['SHA-1 with RSA', { keys: rsa(), hash: 'sha1', signatureAlgorithm: algorithms.rsaSha1 }],
  ])('refuses a signature by %s', (_, parts) => {
    const csr = csrDer({
      ...parts,
      attributes: [extensionRequest(subjectAltName(dns('a.test')))],
      subject: emptyName,
    });
    expect(() => parseAcmeCsr(csr.toString('base64url'), [a], account.publicKey)).toThrow(
      expect.objectContaining({ type: 'badCSR', message: expect.stringMatching(/sign it with SHA-256/) }),
    );
  });

  test.each([
    ['not in base64url', 'a+b/', 'malformed'],
    ['empty', '', 'malformed'],
    ['no CSR', 'AAAA', 'badCSR'],
  ])('refuses what is %s', (_, text, type) => {
    expect(() => parseAcmeCsr(text, [a], account.publicKey)).toThrow(expect.objectContaining({ type }));
  });

  test('copies must-staple, and nothing else', async () => {
    const usage = { oid: '2.5.29.15', critical: true, value: Buffer.of(3, 2, 1, 6) };
    const odd = { ...mustStaple, value: Buffer.of(0x30, 3, 2, 1, 6) };
    const takenOf = async (...extensions: (typeof usage)[]) =>
      parseAcmeCsr(await textOf({ dnsNames: ['a.test'], extensions }), [a], account.publicKey).extensions;
    expect(await takenOf(usage, mustStaple)).toEqual([mustStaple]);
    expect(await takenOf(odd)).toEqual([]);
  });
});
