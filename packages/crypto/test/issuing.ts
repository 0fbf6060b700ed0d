import type { IssueRequest } from '../src/certificates/certificate-profile.js';
import { createIssuer, type Issuer } from '../src/certificates/issuer.js';
import { createRoot, type RootKeyKind } from '../src/certificates/root.js';
import { buildCsr } from '../src/csrs/build-csr.js';
import { type Csr, parseCsr } from '../src/csrs/csr.js';
import { generateKeyPair, type KeyKind } from '../src/keys/keys.js';

// OpenSSL judges by the clock of the machine, so the validity must surround the day of the run.
export const now = new Date(Math.floor(Date.now() / 1000) * 1000);
export const days = (count: number): Date => new Date(now.getTime() + count * 86_400_000);
export const rootValidity = { notBefore: days(-1), notAfter: days(36_500) };

export async function makeIssuer(keyKind: RootKeyKind): Promise<Issuer> {
  const subject = { commonName: 'Tests Root', organization: 'Žagari & Sons' };
  return createIssuer(await createRoot({ keyKind, subject, ...rootValidity, serialNumber: 1n }));
}

export async function makeCsr(kind: KeyKind = 'P-256', commonName?: string): Promise<Csr> {
  const { privateKey } = await generateKeyPair(kind);
  const subject = commonName === undefined ? {} : { commonName };
  const request = {
    privateKey,
    subject,
    dnsNames: ['leaf.test', '*.leaf.test'],
    ipAddresses: ['10.0.0.1', '::1'],
  };
  return parseCsr((await buildCsr(request)).der);
}

export const requestFor = (csr: Csr): IssueRequest => ({
  serialNumber: 2n,
  subjectDer: csr.subjectDer,
  spkiDer: csr.spkiDer,
  subjectAltNameDer: csr.subjectAltNameDer,
  notBefore: new Date(now.getTime() - 60_000),
  notAfter: days(365),
});
