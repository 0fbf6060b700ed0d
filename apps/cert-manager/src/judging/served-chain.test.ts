import {
  type Certificate,
  createIssuer,
  createRoot,
  encodeName,
  exportSpki,
  generateKeyPair,
  type Issuer,
  issueCertificate,
  parseCertificate,
} from '@certloop/crypto';
import { beforeAll, expect, test } from 'vitest';
import { servedChainOf } from './served-chain.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const at = (days: number) => new Date(now.getTime() + days * 86_400_000);

/** Certificates by their names: `old` is a certificate of the intermediate that ends after 10 days. */
let all: Readonly<Record<'leaf' | 'intermediate' | 'old' | 'root' | 'other' | 'selfSigned', Certificate>>;

async function rootOf(commonName: string) {
  const dates = { notBefore: at(-1000), notAfter: at(1000) };
  const root = await createRoot({
    keyKind: 'P-256',
    subject: { commonName },
    serialNumber: 1n,
    ...dates,
  });
  return createIssuer(root);
}

beforeAll(async () => {
  const root = await rootOf('Root');
  const { publicKey, privateKey } = await generateKeyPair('P-256');
  let serialNumber = 2n;
  const issue = async (issuer: Issuer, commonName: string, spkiDer: Buffer, notAfter: Date, more: object) => {
    const subjectDer = encodeName({ commonName });
    const dates = { notBefore: at(-100), notAfter };
    serialNumber += 1n;
    return issueCertificate(issuer, { serialNumber, subjectDer, spkiDer, ...dates, ...more });
  };
  const authority = exportSpki(publicKey);
  const certificateDer = await issue(root, 'Intermediate', authority, at(900), { authority: {} });
  const oldDer = await issue(root, 'Intermediate', authority, at(10), { authority: {} });
  const intermediate = createIssuer({ certificateDer, privateKey });
  const names = { subjectAltNames: { dnsNames: ['www.example.org'] } };
  const leafKey = exportSpki((await generateKeyPair('P-256')).publicKey);
  const leafDer = await issue(intermediate, 'www.example.org', leafKey, at(90), names);
  const { spkiDer } = root.certificate;
  const selfSigned = await issue(root, 'Root', spkiDer, at(90), names);
  all = {
    leaf: parseCertificate(leafDer),
    intermediate: intermediate.certificate,
    old: parseCertificate(oldDer),
    root: root.certificate,
    other: (await rootOf('Other')).certificate,
    selfSigned: parseCertificate(selfSigned),
  };
});

type Name = keyof typeof all;

test.each<[Name, readonly Name[], number, readonly Name[], RegExp | undefined]>([
  ['leaf', ['intermediate', 'root'], 0, ['intermediate', 'root'], undefined],
  ['leaf', ['root', 'intermediate'], 0, ['intermediate', 'root'], undefined],
  ['leaf', ['intermediate'], 0, ['intermediate'], undefined],
  ['leaf', ['other', 'intermediate'], 0, ['intermediate'], undefined],
  ['leaf', [], 0, [], /the certificate of its issuer was not sent/],
  ['leaf', ['root'], 0, [], /the certificate of its issuer was not sent/],
  ['leaf', ['old', 'root'], 20, [], /"CN=Intermediate" expired/],
  ['leaf', ['old', 'intermediate', 'root'], 20, ['intermediate', 'root'], undefined],
  ['leaf', ['old', 'root'], 5, ['old', 'root'], undefined],
  ['selfSigned', [], 0, [], /it is self-signed/],
  ['root', [], 0, [], /it is self-signed/],
])('of %s with %j after %i days is %j', (leaf, sent, days, expected, reason) => {
  const others = sent.map((name) => all[name]);
  const chain = servedChainOf(all[leaf], others, at(days));
  expect(chain.others).toEqual(expected.map((name) => all[name]));
  if (reason === undefined) expect(chain.unverified).toBeUndefined();
  else expect(chain.unverified).toMatch(reason);
});

test('of more look-alikes than are read is the certificate alone', () => {
  const sent = Array.from({ length: 20 }, () => all.intermediate);
  const chain = servedChainOf(all.leaf, sent, now);
  expect(chain).toMatchObject({ others: [], unverified: expect.stringContaining('do not form a chain') });
});
