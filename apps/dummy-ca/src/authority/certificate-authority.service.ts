import { randomBytes } from 'node:crypto';
import { AppError, InvalidInput } from '@certloop/contracts';
import {
  certificateLabel,
  createIssuer,
  createKeyCache,
  createRoot,
  csrLabels,
  describeName,
  describePublicKey,
  formatPem,
  type Issuer,
  isIssuedBy,
  issueCertificate,
  type KeyCache,
  loadIssuer,
  parseCsr,
  parsePem,
  verifyCsr,
} from '@certloop/crypto';
import { type Clock, StartFailed } from '@certloop/server';
import { type AskedLength, type AuthorityKeyType, leafValidity, rootValidity } from './issuance-profile.js';
import type { KnownCertificate } from './known-certificate.js';
import type { NamedIssuer } from './named-issuer.js';
import { type PointerSettings, pointersOf } from './pointers.js';
import {
  countFrom,
  firstSerialNumber,
  formatSerialNumber,
  randomOctets,
  type SerialNumbers,
} from './serial-numbers.js';

/** Where the root comes from: PEM of its key and certificate, or else how to make one; and how it signs. */
export interface RootSource extends PointerSettings {
  readonly rootKeyPem: string | undefined;
  readonly rootCertificatePem: string | undefined;
  readonly keyType: AuthorityKeyType;
  readonly commonName: string;
  readonly rootValidityDays: number;
  readonly rootPastDays: number;
  /** How far back a certificate begins at most, unless another beginning is asked for. */
  readonly backdateSeconds: number;
}

/** What is told of the root at start. */
export interface RootFacts {
  readonly source: 'files' | 'fresh';
  /** RFC 4514 text. */
  readonly subject: string;
  /** Algorithm and bits, such as `ECDSA 256`. */
  readonly key: string;
  readonly notAfter: string;
}

/** A certificate fresh from its issuer. */
export interface SignedCertificate extends KnownCertificate {
  readonly certificatePem: string;
  /** Kind of the certified key, such as `RSA`. */
  readonly keyKind: string;
}

export interface CertificateAuthority extends NamedIssuer {
  readonly rootPem: string;
  readonly root: RootFacts;
  /** One row of numbers for all that is signed. */
  readonly serialNumbers: SerialNumbers;
  /**
   * Certificate for the text of a CSR that is signed by its own key: its subject and subjectAltName as they are,
   * for the length asked for or to the root's end. Throws InvalidInput when the text is not one CSR, its
   * signature does not hold, or it is to begin when the root is not valid, and an `internal` refusal when
   * the root has ended.
   */
  issue(csrPem: string, asked: AskedLength, now: Date): Promise<SignedCertificate>;
}

/** Authority with one root that signs everything. Throws StartFailed when the given root cannot be used. */
export async function openAuthority(source: RootSource, clock: Clock): Promise<CertificateAuthority> {
  const now = clock.now();
  const first = firstSerialNumber(now, randomBytes(randomOctets));
  const issuer = loadRoot(source, now) ?? (await makeRoot(source, first, now));
  // A root made here has the first number itself.
  const serialNumbers = countFrom(first + 1n);
  const signing: Signing = {
    name: 'root',
    issuer,
    pointers: pointersOf(source, 'root'),
    serialNumbers,
    backdateSeconds: source.backdateSeconds,
    keyCache: createKeyCache(keptKeys),
  };
  return {
    ...signing,
    rootPem: formatPem(certificateLabel, issuer.certificate.der),
    root: factsOf(issuer, source),
    issue: (csrPem, asked, now) => issue(signing, csrPem, asked, now),
  };
}

// A key of RSA-2048 has about 2 kB.
const keptKeys = 2_000;

interface Signing extends NamedIssuer {
  readonly serialNumbers: SerialNumbers;
  readonly backdateSeconds: number;
  readonly keyCache: KeyCache;
}

async function issue(
  { name, issuer, pointers, serialNumbers, backdateSeconds, keyCache }: Signing,
  csrPem: string,
  asked: AskedLength,
  now: Date,
): Promise<SignedCertificate> {
  const csr = parseCsr(parsePem(csrPem, csrLabels));
  const verification = await verifyCsr(csr, keyCache);
  if (!verification.ok) throw refusedSignature(verification.code, verification.reason);
  const { subjectDer, spkiDer, publicKey, subjectAltNameDer } = csr;
  const validity = leafValidity(asked, now, issuer.certificate, backdateSeconds);
  if (validity.notAfter <= validity.notBefore) throw endedRoot(issuer);
  const serialNumber = serialNumbers.next();
  const names = { subjectDer, spkiDer, publicKey, subjectAltNameDer };
  const der = await issueCertificate(issuer, { ...names, ...validity, serialNumber, extensions: pointers });
  return {
    certificatePem: formatPem(certificateLabel, der),
    serialNumber: formatSerialNumber(serialNumber),
    issuer: name,
    notAfter: validity.notAfter,
    keyKind: publicKey.kind,
  };
}

async function makeRoot(source: RootSource, serialNumber: bigint, now: Date): Promise<Issuer> {
  const material = await createRoot({
    keyKind: source.keyType,
    subject: { organization: 'CertLoop', commonName: source.commonName },
    serialNumber,
    ...rootValidity(source.rootValidityDays, source.rootPastDays, now),
  });
  return createIssuer(material);
}

/** Root of the given files; undefined when there are none. */
function loadRoot({ rootKeyPem, rootCertificatePem }: RootSource, now: Date): Issuer | undefined {
  if (rootKeyPem === undefined || rootCertificatePem === undefined) return undefined;
  try {
    const issuer = loadIssuer({ certificatePem: rootCertificatePem, privateKeyPem: rootKeyPem }, now);
    if (isIssuedBy(issuer.certificate, issuer.certificate)) return issuer;
    throw new InvalidInput('The certificate is not self-signed, so it is no root');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new StartFailed(`the root of DUMMY_CA_ROOT_KEY and DUMMY_CA_ROOT_CERTIFICATE: ${error.message}`);
  }
}

function factsOf({ certificate }: Issuer, { rootKeyPem }: RootSource): RootFacts {
  const { algorithm, keySize } = describePublicKey(certificate.spkiDer);
  return {
    source: rootKeyPem === undefined ? 'fresh' : 'files',
    subject: describeName(certificate.subjectDer),
    key: `${algorithm} ${keySize}`,
    notAfter: certificate.notAfter.toISOString(),
  };
}

function refusedSignature(code: string, reason: string): InvalidInput {
  return new InvalidInput(`the CSR's signature is not accepted: ${reason}`, { code });
}

function endedRoot({ certificate }: Issuer): AppError {
  return new AppError('internal', `the root certificate ended at ${certificate.notAfter.toISOString()}`);
}
