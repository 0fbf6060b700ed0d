import { randomBytes } from 'node:crypto';
import { AppError, InvalidInput } from '@certloop/contracts';
import {
  certificateLabel,
  createRoot,
  describeName,
  describePublicKey,
  exportPrivateKeyPem,
  formatPem,
  type Issuer,
  type IssuerMaterial,
  importPrivateKey,
  isIssuedBy,
  loadIssuer,
  type PermittedNames,
} from '@certloop/crypto';
import { type Clock, StartFailed } from '@certloop/server';
import { type IssueForCsr, type IssuingParts, issueForCsr, openIssuing } from './csr-issuance.js';
import { type AuthorityKeyType, rootValidity } from './issuance-profile.js';
import type { NamedIssuer } from './named-issuer.js';
import type { PointerSettings } from './pointers.js';
import { firstSerialNumber, randomOctets, type SerialNumbers, sharedCounter } from './serial-numbers.js';

/** The root: PEM of its key and certificate, or how to create it; and how it signs. */
export interface RootSource extends PointerSettings {
  readonly rootKeyPem: string | undefined;
  readonly rootCertificatePem: string | undefined;
  readonly keyType: AuthorityKeyType;
  readonly commonName: string;
  readonly rootValidityDays: number;
  readonly rootPastDays: number;
  /** Names that a root made at start may issue for; undefined for any. */
  readonly permittedNames: PermittedNames | undefined;
  /** Maximum age of notBefore at issuance, unless the request names another notBefore. */
  readonly backdateSeconds: number;
  /** Serial numbers begin no lower, whatever the clock says; 0 when absent. */
  readonly minSerialNumber?: bigint;
}

/** Facts of the root that are logged at start. */
export interface RootFacts {
  readonly source: 'files' | 'fresh';
  /** RFC 4514 text. */
  readonly subject: string;
  /** Algorithm and bits, such as `ECDSA 256`. */
  readonly key: string;
  readonly notAfter: string;
}

export interface CertificateAuthority extends NamedIssuer {
  readonly rootPem: string;
  readonly root: RootFacts;
  /** One sequence of numbers for all that is signed. */
  readonly serialNumbers: SerialNumbers;
  /**
   * Certificate for the text of a CSR: with its subject and subjectAltName unchanged, for the requested duration or
   * until the root expires. Throws InvalidInput if the text is not one CSR, its signature is wrong, or the root is not
   * valid at notBefore, and an `internal` refusal if the root has expired.
   */
  readonly issue: IssueForCsr;
}

/** Spreads the work over more threads: `parts` is what another one needs, `issueHere` does it on this one. */
export type SpreadIssuing = (parts: IssuingParts, issueHere: IssueForCsr) => IssueForCsr;

const onThisThread: SpreadIssuing = (_, issueHere) => issueHere;

/** Authority with one root that signs everything. Throws StartFailed when the given root cannot be used. */
export async function openAuthority(
  source: RootSource,
  clock: Clock,
  spread = onThisThread,
): Promise<CertificateAuthority> {
  const now = clock.now();
  const { minSerialNumber = 0n } = source;
  const byClock = firstSerialNumber(now, randomBytes(randomOctets));
  const isClockBehind = byClock < minSerialNumber;
  const first = isClockBehind ? minSerialNumber : byClock;
  const { certificateDer, privateKey } = loadRoot(source, now) ?? (await makeRoot(source, first, now));
  const { publicUrl, pointers, backdateSeconds } = source;
  // A root made here has the first number itself.
  const counting = { firstSerialNumber: first + 1n, counter: sharedCounter() };
  const parts = { certificateDer, privateKey, publicUrl, pointers, backdateSeconds, ...counting };
  const issuing = openIssuing(parts);
  const { name, issuer, serialNumbers } = issuing;
  return {
    name,
    issuer,
    serialNumbers,
    pointers: issuing.pointers,
    rootPem: formatPem(certificateLabel, issuer.certificate.der),
    root: factsOf(issuer, source),
    issue: spread(parts, (...asked) => issueForCsr(issuing, ...asked)),
  };
}

/** PEM of a new root, for the state. */
export async function makeRootPems(
  source: RootSource,
  clock: Clock,
): Promise<{ readonly rootKeyPem: string; readonly rootCertificatePem: string }> {
  const now = clock.now();
  const first = firstSerialNumber(now, randomBytes(randomOctets));
  const { certificateDer, privateKey } = await makeRoot(source, first, now);
  return {
    rootKeyPem: exportPrivateKeyPem(privateKey),
    rootCertificatePem: formatPem(certificateLabel, certificateDer),
  };
}

function makeRoot(source: RootSource, serialNumber: bigint, now: Date): Promise<IssuerMaterial> {
  return createRoot({
    keyKind: source.keyType,
    subject: { organization: 'CertLoop', commonName: source.commonName },
    serialNumber,
    permittedNames: source.permittedNames,
    ...rootValidity(source.rootValidityDays, source.rootPastDays, now),
  });
}

/** Root of the given files; undefined if there are none. */
function loadRoot({ rootKeyPem, rootCertificatePem }: RootSource, now: Date): IssuerMaterial | undefined {
  if (rootKeyPem === undefined || rootCertificatePem === undefined) return undefined;
  try {
    const { certificate } = loadIssuer(
      { certificatePem: rootCertificatePem, privateKeyPem: rootKeyPem },
      now,
    );
    if (isIssuedBy(certificate, certificate)) {
      return { certificateDer: certificate.der, privateKey: importPrivateKey(rootKeyPem) };
    }
    throw new InvalidInput('The certificate is not self-signed, so it is not a root');
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
