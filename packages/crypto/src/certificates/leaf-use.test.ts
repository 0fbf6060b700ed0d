import { expect, test } from 'vitest';
import { exportSpki, generateKeyPair } from '../keys/keys.js';
import { issueCertificate } from './issue.js';
import { createIssuer } from './issuer.js';
import { readLeafUse } from './leaf-use.js';
import { createRoot } from './root.js';

const dates = { notBefore: new Date('2026-11-01T00:00:00Z'), notAfter: new Date('2027-01-01T00:00:00Z') };
const issuer = createRoot({
  keyKind: 'P-256',
  subject: { commonName: 'Root' },
  ...dates,
  serialNumber: 1n,
}).then(createIssuer);

/** A certificate with the purposes and, as hex, the value of certificatePolicies. */
async function leaf(extendedKeyUsage: readonly string[], policies?: string): Promise<Buffer> {
  const { publicKey } = await generateKeyPair('P-256');
  return issueCertificate(await issuer, {
    serialNumber: 2n,
    subjectDer: Buffer.of(0x30, 0),
    spkiDer: exportSpki(publicKey),
    ...dates,
    subjectAltNames: { dnsNames: ['a.example.org'] },
    extendedKeyUsage,
    ...(policies !== undefined && {
      extensions: [{ oid: '2.5.29.32', critical: false, value: Buffer.from(policies, 'hex') }],
    }),
  });
}

test.each([
  ['servers alone', ['serverAuth'], false],
  ['servers and clients', ['serverAuth', 'clientAuth'], true],
  ['any purpose', ['2.5.29.37.0'], true],
  ['no purposes', [], false],
])('a certificate for %s', async (_, purposes, isForClients) => {
  expect(readLeafUse(await leaf(purposes))).toEqual({ isForClients, isPublic: false });
});

test.each([
  ['domain validated', '300a3008060667810c010201', true],
  ['organization validated', '300a3008060667810c010202', true],
  ['extended validation', '30093007060567810c0101', true],
  [
    'an own policy with a qualifier, and domain validated',
    '30163008060667810c010201300a06082b06010401828910',
    true,
  ],
  ['an own policy', '300c300a06082b06010401828910', false],
  ['a policy of client certificates', '300a3008060667810c010503', false],
])('a certificate with the policy %s', async (_, policies, isPublic) => {
  expect(readLeafUse(await leaf(['serverAuth'], policies))).toEqual({ isForClients: false, isPublic });
});

test('a text that is no certificate is refused', () => {
  expect(() => readLeafUse(Buffer.of(0x30, 0))).toThrow('certificate');
});
