import type { KeyObject } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { contextPrimitive } from '../der/der.js';
import { encode, encodeSequence } from '../der/der-writer.js';
import { oid } from '../der/oids.js';
import { certificateLabel, parsePemBlocks } from '../der/pem.js';
import { exportSpki, importPrivateKey, keyIdentifier, publicKeysEqual } from '../keys/keys.js';
import { createSigner, type Signer } from '../keys/sign.js';
import { type NameConstraints, parseNameConstraints } from '../names/name-constraints.js';
import { formatName } from '../names/names.js';
import { type Certificate, isWithinValidity, parseCertificate } from './certificate.js';
import { encodeExtension, findExtension } from './extensions.js';

/** A CA that is ready to sign; the common parts of its certificates are encoded once. */
export interface Issuer extends Signer {
  readonly certificate: Certificate;
  /** The subject of the CA, byte for byte; re-encoding it would break the chain for GnuTLS and Go. */
  readonly nameDer: Buffer;
  readonly authorityKeyIdentifierDer: Buffer;
  /** Names for which it may issue; undefined for all names. */
  readonly nameConstraints: NameConstraints | undefined;
}

export interface IssuerMaterial {
  readonly certificateDer: Buffer;
  readonly privateKey: KeyObject;
}

export interface IssuerFiles {
  /** PEM of one certificate. */
  readonly certificatePem: string;
  /** PEM of its private key. */
  readonly privateKeyPem: string;
}

/**
 * Issuer from a certificate and its key. Throws InvalidInput: `issuer_key_mismatch`, `issuer_not_a_ca` if it is not
 * a CA or its keyUsage does not allow it to sign certificates, `malformed_der`, `unsupported_algorithm`.
 */
export function createIssuer({ certificateDer, privateKey }: IssuerMaterial): Issuer {
  const certificate = parseCertificate(certificateDer);
  const name = `The certificate of "${formatName(certificate.subject)}"`;
  if (!publicKeysEqual(certificate.spkiDer, exportSpki(privateKey))) {
    throw new InvalidInput(`${name} belongs to another private key`, { code: 'issuer_key_mismatch' });
  }
  if (!certificate.isCa) {
    throw new InvalidInput(`${name} is not a CA certificate (basicConstraints without cA)`, notACa);
  }
  if (!certificate.maySignCertificates) {
    throw new InvalidInput(`${name} may not sign certificates (keyUsage lacks keyCertSign)`, notACa);
  }
  if (certificate.subject.length === 0) throw new InvalidInput(`${name} has no subject`, notACa);
  const constraints = findExtension(certificate.extensions, oid.nameConstraints);
  const identifier = certificate.subjectKeyIdentifier ?? keyIdentifier(certificate.spkiDer);
  return {
    ...createSigner(privateKey),
    certificate,
    nameDer: certificate.subjectDer,
    nameConstraints: constraints && parseNameConstraints(constraints.value),
    authorityKeyIdentifierDer: encodeExtension({
      oid: oid.authorityKeyIdentifier,
      critical: false,
      value: encodeSequence(encode(contextPrimitive(0), identifier)),
    }),
  };
}

/**
 * Issuer from PEM texts. Throws InvalidInput as createIssuer does, and `issuer_not_valid` when the certificate is
 * expired or not yet valid at `now`, `wrong_pem_block`, `malformed_pem`, `malformed_private_key`.
 */
export function loadIssuer({ certificatePem, privateKeyPem }: IssuerFiles, now: Date): Issuer {
  const certificates = parsePemBlocks(certificatePem).filter((block) => block.label === certificateLabel);
  const [block, ...rest] = certificates;
  if (block === undefined || rest.length > 0) {
    throw new InvalidInput('The PEM text of the issuer must contain exactly one certificate', {
      code: 'wrong_pem_block',
    });
  }
  const issuer = createIssuer({ certificateDer: block.der, privateKey: importPrivateKey(privateKeyPem) });
  const { subject, notBefore, notAfter } = issuer.certificate;
  if (!isWithinValidity(issuer.certificate, now)) {
    const range = `${notBefore.toISOString()} to ${notAfter.toISOString()}`;
    throw new InvalidInput(`The certificate of "${formatName(subject)}" is valid only from ${range}`, {
      code: 'issuer_not_valid',
    });
  }
  return issuer;
}

const notACa = { code: 'issuer_not_a_ca' } as const;
