import { randomBytes } from 'node:crypto';
import {
  type Certificate,
  createIssuer,
  createRoot,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  type Issuer,
  issueCertificate,
  type KeyKind,
  type KeyPair,
  parseCertificate,
} from '@certloop/crypto';

const day = 86_400_000;
export const fromNow = (days: number): Date => new Date(Math.floor(Date.now() / 1000) * 1000 + days * day);

/** A root, an authority below it, and what it issues. */
export interface Authority {
  readonly root: Certificate;
  readonly intermediate: Certificate;
  issue(request?: LeafRequest): Promise<Leaf>;
}

export interface LeafRequest {
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly kind?: KeyKind;
  readonly keys?: KeyPair;
}

export interface Leaf {
  readonly certificate: Certificate;
  readonly keys: KeyPair;
  readonly keyPem: string;
}

export const pemOf = (...certificates: readonly Certificate[]): string =>
  certificates.map(({ der }) => formatPem('CERTIFICATE', der)).join('');

export async function createAuthority(name: string): Promise<Authority> {
  const validity = { notBefore: fromNow(-1000), notAfter: fromNow(1000) };
  const material = await createRoot({
    keyKind: 'P-256',
    subject: { commonName: `${name} root` },
    ...validity,
    serialNumber: 1n,
  });
  const rootIssuer = createIssuer(material);
  const below = await generateKeyPair('P-256');
  const intermediateDer = await issueCertificate(rootIssuer, {
    serialNumber: 2n,
    subjectDer: encodeName({ commonName: `${name} intermediate` }),
    spkiDer: exportSpki(below.publicKey),
    ...validity,
    authority: { pathLength: 0 },
  });
  const issuer = createIssuer({ certificateDer: intermediateDer, privateKey: below.privateKey });
  return {
    root: rootIssuer.certificate,
    intermediate: issuer.certificate,
    issue: (request = {}) => issueLeaf(issuer, request),
  };
}

async function issueLeaf(issuer: Issuer, request: LeafRequest): Promise<Leaf> {
  const { dnsNames = ['www.example.test'], ipAddresses = [], kind = 'P-256' } = request;
  const keys = request.keys ?? (await generateKeyPair(kind));
  const der = await issueCertificate(issuer, {
    serialNumber: BigInt(`0x01${randomBytes(8).toString('hex')}`),
    subjectDer: encodeName({}),
    spkiDer: exportSpki(keys.publicKey),
    notBefore: request.notBefore ?? fromNow(-10),
    notAfter: request.notAfter ?? fromNow(80),
    subjectAltNames: { dnsNames, ipAddresses },
  });
  return { certificate: parseCertificate(der), keys, keyPem: exportPrivateKeyPem(keys.privateKey) };
}
