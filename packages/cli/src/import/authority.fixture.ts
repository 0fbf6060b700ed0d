import { randomBytes } from 'node:crypto';
import {
  createIssuer,
  createRoot,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
  type KeyKind,
} from '@certloop/crypto';

export const day = 86_400_000;
export const now = new Date('2026-11-28T12:00:00Z');
const fromNow = (days: number) => new Date(now.getTime() + days * day);

export interface TestCertificate {
  readonly der: Buffer;
  readonly pem: string;
  readonly keyPem: string;
}

export interface TestRequest {
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  readonly commonName?: string;
  /** Days from `now`. */
  readonly from?: number;
  readonly until?: number;
  readonly kind?: KeyKind;
}

/** A root that issues certificates for tests. */
export async function createTestAuthority() {
  const material = await createRoot({
    keyKind: 'P-256',
    subject: { commonName: 'Import Root' },
    notBefore: fromNow(-1000),
    notAfter: fromNow(1000),
    serialNumber: 1n,
  });
  const issuer = createIssuer(material);
  const issue = async (request: TestRequest = {}): Promise<TestCertificate> => {
    const { names = ['www.example.test'], addresses = [], commonName, from = -10, until = 80 } = request;
    const { privateKey, publicKey } = await generateKeyPair(request.kind ?? 'P-256');
    const der = await issueCertificate(issuer, {
      serialNumber: BigInt(`0x01${randomBytes(8).toString('hex')}`),
      subjectDer: encodeName(commonName === undefined ? {} : { commonName }),
      spkiDer: exportSpki(publicKey),
      notBefore: fromNow(from),
      notAfter: fromNow(until),
      subjectAltNames: { dnsNames: names, ipAddresses: addresses },
    });
    return { der, pem: formatPem('CERTIFICATE', der), keyPem: exportPrivateKeyPem(privateKey) };
  };
  return { rootPem: formatPem('CERTIFICATE', material.certificateDer), issue };
}
