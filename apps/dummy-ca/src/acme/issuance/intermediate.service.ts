import { AppError, InvalidInput } from '@certloop/contracts';
import {
  certificateLabel,
  createIssuer,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  type Issuer,
  type IssuerMaterial,
  isIssuedBy,
  issueCertificate,
  keyIdentifier,
  loadIssuer,
} from '@certloop/crypto';
import { StartFailed } from '@certloop/server';
import type { CertificateAuthority } from '../../authority/certificate-authority.service.js';
import type { AuthorityKeyType } from '../../authority/issuance-profile.js';
import type { NamedIssuer } from '../../authority/named-issuer.js';
import type { PointerSettings } from '../../authority/pointers.js';

export type Authority = Pick<CertificateAuthority, 'name' | 'issuer' | 'pointers' | 'serialNumbers'>;

/** Source of the intermediate: PEM of its key and certificate, or the type of the key to generate. */
export interface IntermediateSource extends PointerSettings {
  readonly intermediateKeyPem: string | undefined;
  readonly intermediateCertificatePem: string | undefined;
  readonly keyType: AuthorityKeyType;
}

export async function makeIntermediate(authority: Authority, keyType: AuthorityKeyType): Promise<Issuer> {
  return createIssuer(await intermediateMaterial(authority, keyType));
}

async function intermediateMaterial(
  authority: Authority,
  keyType: AuthorityKeyType,
): Promise<IssuerMaterial> {
  const { privateKey, publicKey } = await generateKeyPair(keyType);
  const nameDer = encodeName({ organization: 'CertLoop', commonName: 'CertLoop Dummy CA Intermediate' });
  const certificateDer = await issueIntermediate(authority, authority, nameDer, exportSpki(publicKey));
  return { certificateDer, privateKey };
}

/** PEM of a new intermediate below the root, for the state; undefined where the root allows none. */
export async function makeIntermediatePems(
  authority: Authority,
  keyType: AuthorityKeyType,
): Promise<IntermediatePems | undefined> {
  if (authority.issuer.certificate.pathLength === 0) return undefined;
  const { privateKey, certificateDer } = await intermediateMaterial(authority, keyType);
  return {
    intermediateKeyPem: exportPrivateKeyPem(privateKey),
    intermediateCertificatePem: formatPem(certificateLabel, certificateDer),
  };
}

interface IntermediatePems {
  readonly intermediateKeyPem: string;
  readonly intermediateCertificatePem: string;
}

/** DER of a certificate of the intermediate from one of the roots. */
export function issueIntermediate(
  { issuer: root, serialNumbers }: Authority,
  { issuer, pointers }: NamedIssuer,
  subjectDer: Buffer,
  spkiDer: Buffer,
): Promise<Buffer> {
  const { notBefore, notAfter } = root.certificate;
  const names = { serialNumber: serialNumbers.next(), subjectDer, spkiDer, notBefore, notAfter };
  return issueCertificate(issuer, { ...names, authority: { pathLength: 0 }, extensions: pointers });
}

/** Intermediate of the given files; undefined if there are none. */
export function loadIntermediate(root: Issuer, source: IntermediateSource, now: Date): Issuer | undefined {
  const { intermediateKeyPem: privateKeyPem, intermediateCertificatePem: certificatePem } = source;
  if (privateKeyPem === undefined || certificatePem === undefined) return undefined;
  try {
    const issuer = loadIssuer({ certificatePem, privateKeyPem }, now);
    const { certificate } = issuer;
    if (!isIssuedBy(certificate, root.certificate)) throw new InvalidInput('The root has not signed it');
    // The alternate root names the same key so, and leaves can name it in one way only.
    if (certificate.subjectKeyIdentifier?.equals(keyIdentifier(certificate.spkiDer)) !== true) {
      throw new InvalidInput('Its key identifier is not the SHA-1 of its key (RFC 5280 §4.2.1.2, method 1)');
    }
    return issuer;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const names = 'DUMMY_CA_INTERMEDIATE_KEY and DUMMY_CA_INTERMEDIATE_CERTIFICATE';
    throw new StartFailed(`the intermediate of ${names}: ${error.message}`);
  }
}

export const pemOf = ({ certificate }: Issuer): string => formatPem(certificateLabel, certificate.der);
