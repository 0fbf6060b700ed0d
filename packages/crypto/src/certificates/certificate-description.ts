import { describeKey } from '../keys/public-keys.js';
import { formatName } from '../names/names.js';
import { type Certificate, fingerprint } from './certificate.js';
import { describeExtension, type ExtensionDescription } from './extensions.js';

/** A certificate for readers; all hex is lower-case without colons. */
export interface CertificateDescription {
  /** RFC 4514 text, as is `issuer`. */
  readonly subject: string;
  readonly issuer: string;
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly uris: readonly string[];
  /** SHA-256 over the DER. */
  readonly fingerprint: string;
  readonly publicKeyAlgorithm: string;
  /** Bits; 0 for a kind of key that is unknown. */
  readonly keySize: number;
  readonly curve?: string;
  /** OpenSSL's long name. */
  readonly signatureAlgorithm: string;
  readonly isCa: boolean;
  readonly subjectKeyIdentifier?: string;
  readonly authorityKeyIdentifier?: string;
  readonly extensions: readonly ExtensionDescription[];
}

/** Facts of the certificate. Never throws. */
export function describeCertificate(certificate: Certificate): CertificateDescription {
  const { algorithm, keySize, curve } = describeKey(certificate.publicKey);
  const { dnsNames, emailAddresses, ipAddresses, uris } = certificate.subjectAltNames;
  const { subjectKeyIdentifier, authorityKeyIdentifier } = certificate;
  return {
    subject: formatName(certificate.subject),
    issuer: formatName(certificate.issuer),
    serialNumber: certificate.serialNumber,
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    dnsNames,
    emailAddresses,
    ipAddresses,
    uris,
    fingerprint: fingerprint(certificate.der),
    publicKeyAlgorithm: algorithm,
    keySize,
    ...(curve === undefined ? {} : { curve }),
    signatureAlgorithm: certificate.signatureAlgorithm.name,
    isCa: certificate.isCa,
    ...(subjectKeyIdentifier && { subjectKeyIdentifier: subjectKeyIdentifier.toString('hex') }),
    ...(authorityKeyIdentifier && { authorityKeyIdentifier: authorityKeyIdentifier.toString('hex') }),
    extensions: certificate.extensions.map(describeExtension),
  };
}
