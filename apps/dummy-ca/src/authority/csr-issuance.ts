import type { KeyObject } from 'node:crypto';
import { AppError, InvalidInput } from '@certloop/contracts';
import {
  certificateLabel,
  constraintFault,
  createIssuer,
  createKeyCache,
  csrLabels,
  encodeName,
  formatPem,
  type Issuer,
  issueCertificate,
  type KeyCache,
  parseCsr,
  parsePem,
  verifyCsr,
} from '@certloop/crypto';
import type { ProfileContent } from './certificate-profile.js';
import { type AskedLength, leafValidity } from './issuance-profile.js';
import type { KnownCertificate, NamedIssuer } from './named-issuer.js';
import { type PointerSettings, pointersOf } from './pointers.js';
import { countFrom, formatSerialNumber, type SerialNumbers } from './serial-numbers.js';

/** Parts that are needed to issue certificates for CSRs, in a form that another thread can be given, too. */
export interface IssuingParts extends PointerSettings {
  readonly certificateDer: Uint8Array;
  readonly privateKey: KeyObject;
  /** How far back a certificate begins at most, unless another beginning is asked for. */
  readonly backdateSeconds: number;
  readonly firstSerialNumber: bigint;
  /** Memory of `sharedCounter`, in which every thread counts. */
  readonly counter: SharedArrayBuffer;
}

/** The same, ready to issue. */
export interface CsrIssuing extends NamedIssuer {
  readonly serialNumbers: SerialNumbers;
  readonly backdateSeconds: number;
  readonly keyCache: KeyCache;
}

// A key of RSA-2048 has about 2 kB.
const maxCachedKeys = 2_000;

/** Throws InvalidInput as createIssuer does. */
export function openIssuing({
  certificateDer,
  privateKey,
  backdateSeconds,
  ...parts
}: IssuingParts): CsrIssuing {
  return {
    name: 'root',
    issuer: createIssuer({ certificateDer: Buffer.from(certificateDer), privateKey }),
    pointers: pointersOf(parts, 'root'),
    serialNumbers: countFrom(parts.firstSerialNumber, parts.counter),
    backdateSeconds,
    keyCache: createKeyCache(maxCachedKeys),
  };
}

/** A certificate fresh from its issuer. */
export interface SignedCertificate extends KnownCertificate {
  readonly certificatePem: string;
  /** Kind of the certified key, such as `RSA`. */
  readonly keyKind: string;
}

/** Request in addition to the CSR; without `content` the certificate has all that certificates usually have. */
export interface AskedCertificate extends AskedLength {
  readonly content?: ProfileContent;
}

/** Issues for the PEM text of a CSR, at the moment given. */
export type IssueForCsr = (csrPem: string, asked: AskedCertificate, now: Date) => Promise<SignedCertificate>;

/**
 * Certificate for the text of a CSR that is signed by its own key: its subject and subjectAltName as they are,
 * for the length asked for or to the root's end. Content without a common name has an empty subject. Throws
 * InvalidInput when the text is not one CSR, its signature does not hold, the root's name constraints refuse a name,
 * it is to begin when the root is not valid, or no name is left, and an `internal` refusal when the root has ended.
 */
export async function issueForCsr(
  { name, issuer, pointers, serialNumbers, backdateSeconds, keyCache }: CsrIssuing,
  ...[csrPem, asked, now]: Parameters<IssueForCsr>
): Promise<SignedCertificate> {
  const csr = parseCsr(parsePem(csrPem, csrLabels));
  const verification = await verifyCsr(csr, keyCache);
  if (!verification.ok) throw refusedSignature(verification.code, verification.reason);
  const { nameConstraints } = issuer;
  const fault = nameConstraints && constraintFault(nameConstraints, csr);
  if (fault !== undefined)
    throw new InvalidInput(`the CSR asks for other names: ${fault}`, { code: 'name_not_permitted' });
  const { notBefore, notAfter } = leafValidity(asked, now, issuer.certificate, backdateSeconds);
  if (notAfter <= notBefore) throw endedRoot(issuer);
  const { hasCommonName = true, ...content } = asked.content ?? {};
  if (!hasCommonName && csr.subjectAltNameDer === undefined) throw withoutName();
  const serialNumber = serialNumbers.next();
  const { spkiDer, publicKey, subjectAltNameDer } = csr;
  const der = await issueCertificate(issuer, {
    ...content,
    serialNumber,
    subjectDer: hasCommonName ? csr.subjectDer : encodeName({}),
    spkiDer,
    publicKey,
    subjectAltNameDer,
    notBefore,
    notAfter,
    extensions: pointers,
  });
  return {
    certificatePem: formatPem(certificateLabel, der),
    serialNumber: formatSerialNumber(serialNumber),
    issuer: name,
    notAfter,
    keyKind: publicKey.kind,
  };
}

function refusedSignature(code: string, reason: string): InvalidInput {
  return new InvalidInput(`the CSR's signature is not accepted: ${reason}`, { code });
}

function withoutName(): InvalidInput {
  const message = 'its certificates have no common name, so the CSR must have a subjectAltName';
  const path = 'profile';
  return new InvalidInput(`${path}: ${message}`, { fields: [{ path, code: 'name_missing', message }] });
}

function endedRoot({ certificate }: Issuer): AppError {
  return new AppError('internal', `the root certificate ended at ${certificate.notAfter.toISOString()}`);
}
