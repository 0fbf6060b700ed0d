import { describeExtension, type ExtensionDescription } from '../certificates/extensions.js';
import { describeKey } from '../keys/public-keys.js';
import { formatName, listCommonNames } from '../names/names.js';
import type { Csr } from './csr.js';

/** Content of a CSR, for readers. */
export interface CsrDescription {
  /** RFC 4514 text; empty when the request names no subject. */
  readonly subject: string;
  /** Readable common names of the subject in their order; usually one or none. */
  readonly commonNames: readonly string[];
  /** RSA, RSA-PSS, ECDSA, Ed25519, Ed448 and so on. */
  readonly publicKeyAlgorithm: string;
  /** OpenSSL's long name, such as `ecdsa-with-SHA256`. */
  readonly signatureAlgorithm: string;
  /** Bits; 0 for a kind of key that is unknown. */
  readonly keySize: number;
  /** Such as `P-256`; only for ECDSA. */
  readonly curve?: string;
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly uris: readonly string[];
  readonly extensions: readonly ExtensionDescription[];
}

/** Facts of the request; the names by kind are those of its subjectAltName. Never throws. */
export function describeCsr(csr: Csr): CsrDescription {
  const { algorithm, keySize, curve } = describeKey(csr.publicKey);
  const { dnsNames, emailAddresses, ipAddresses, uris } = csr.subjectAltNames;
  return {
    subject: formatName(csr.subject),
    commonNames: listCommonNames(csr.subject),
    publicKeyAlgorithm: algorithm,
    signatureAlgorithm: csr.signatureAlgorithm.name,
    keySize,
    ...(curve === undefined ? {} : { curve }),
    dnsNames,
    emailAddresses,
    ipAddresses,
    uris,
    extensions: csr.extensions.map(describeExtension),
  };
}
