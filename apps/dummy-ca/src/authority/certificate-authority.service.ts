import { randomBytes } from 'node:crypto';
import { AppError, InvalidInput } from '@certloop/contracts';
import {
  certificateLabel,
  createIssuer,
  createRoot,
  csrLabels,
  describeName,
  describePublicKey,
  formatPem,
  type Issuer,
  isIssuedBy,
  issueCertificate,
  loadIssuer,
  parseCsr,
  parsePem,
  verifyCsr,
} from '@certloop/crypto';
import { type Clock, StartFailed } from '@certloop/server';
import { type AuthorityKeyType, leafValidity, rootValidity } from './issuance-profile.js';
import { countFrom, firstSerialNumber, randomOctets, type SerialNumbers } from './serial-numbers.js';

/** Where the root comes from: PEM of its key and certificate, or else how to make one. */
export interface RootSource {
  readonly rootKeyPem: string | undefined;
  readonly rootCertificatePem: string | undefined;
  readonly keyType: AuthorityKeyType;
  readonly commonName: string;
  readonly rootValidityDays: number;
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

export interface CertificateAuthority {
  readonly rootPem: string;
  readonly root: RootFacts;
  /** The root, ready to sign. */
  readonly issuer: Issuer;
  /** One row of numbers for all that is signed. */
  readonly serialNumbers: SerialNumbers;
  /**
   * PEM of a certificate for the text of a CSR that is signed by its own key: its subject and subjectAltName
   * as they are, valid from 60 s before `now` for the days or to the root's end. Throws InvalidInput when the
   * text is not one CSR or its signature does not hold, and an `internal` refusal when the root has ended.
   */
  issue(csrPem: string, validityDays: number, now: Date): Promise<string>;
}

/** Authority with one root that signs everything. Throws StartFailed when the given root cannot be used. */
export async function openAuthority(source: RootSource, clock: Clock): Promise<CertificateAuthority> {
  const now = clock.now();
  const first = firstSerialNumber(now, randomBytes(randomOctets));
  const issuer = loadRoot(source, now) ?? (await makeRoot(source, first, now));
  // A root made here has the first number itself.
  const serialNumbers = countFrom(first + 1n);
  return {
    rootPem: formatPem(certificateLabel, issuer.certificate.der),
    root: factsOf(issuer, source),
    issuer,
    serialNumbers,
    issue: async (csrPem, validityDays, now) => {
      const csr = parseCsr(parsePem(csrPem, csrLabels));
      const verification = await verifyCsr(csr);
      if (!verification.ok) throw refusedSignature(verification.code, verification.reason);
      const { subjectDer, spkiDer, subjectAltNameDer } = csr;
      const validity = leafValidity(validityDays, now, issuer.certificate);
      if (validity.notAfter <= validity.notBefore) throw endedRoot(issuer);
      const names = { subjectDer, spkiDer, subjectAltNameDer };
      const request = { ...names, ...validity, serialNumber: serialNumbers.next() };
      return formatPem(certificateLabel, await issueCertificate(issuer, request));
    },
  };
}

async function makeRoot(source: RootSource, serialNumber: bigint, now: Date): Promise<Issuer> {
  const material = await createRoot({
    keyKind: source.keyType,
    subject: { organization: 'CertLoop', commonName: source.commonName },
    serialNumber,
    ...rootValidity(source.rootValidityDays, now),
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
