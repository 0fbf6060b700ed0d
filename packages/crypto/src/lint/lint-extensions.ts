import type { Certificate } from '../certificates/certificate.js';
import {
  type Extension,
  findExtension,
  parseExtendedKeyUsage,
  parseKeyUsage,
} from '../certificates/extensions.js';
import { type DerElement, parseDer, tag } from '../der/der.js';
import { encodeNamedBits } from '../der/der-writer.js';
import { keyUsageBit, oid } from '../der/oids.js';

/** The sentence in a list when the condition holds, else an empty list. */
export const faultIf = (holds: boolean, sentence: string): string[] => (holds ? [sentence] : []);

/** Departures of the extensions from the profile of RFC 5280 §4.2, one sentence each. Throws InvalidInput. */
export function lintExtensions(certificate: Certificate): string[] {
  return [
    ...lintDefaults(certificate),
    ...lintKeyIdentifiers(certificate),
    ...lintKeyUsage(certificate),
    ...lintConstraints(certificate),
    ...lintSubjectAltName(certificate),
    ...lintPurposes(certificate),
  ];
}

/** Values that equal the DEFAULT of their type must be omitted (X.690 §11.5). */
function lintDefaults({ der, extensions }: Certificate): string[] {
  const constraints = findExtension(extensions, oid.basicConstraints);
  const cA = constraints && parseDer(constraints.value, 'basicConstraints').children[0];
  const list = parseDer(der, 'certificate').children[0]?.children.at(-1)?.children[0];
  const written = (list?.children ?? []).map((extension) => extension.children[1]);
  return [
    ...faultIf(written.some(isFalse), 'an extension has critical FALSE written out'),
    ...faultIf(isFalse(cA), 'basicConstraints has cA FALSE written out'),
  ];
}

const isFalse = (element: DerElement | undefined): boolean =>
  element?.tag === tag.boolean && element.content[0] === 0;

function lintKeyIdentifiers({ extensions, subjectDer, issuerDer, ...certificate }: Certificate): string[] {
  const subject = findExtension(extensions, oid.subjectKeyIdentifier);
  const authority = findExtension(extensions, oid.authorityKeyIdentifier);
  // §4.2.1.1: only a self-signed certificate may leave its authority out.
  const isSelfIssued = subjectDer.equals(issuerDer);
  return [
    ...faultIf(subject === undefined, 'the subject key identifier is missing'),
    ...faultIf(subject?.critical === true, 'the subject key identifier is critical'),
    ...faultIf(
      certificate.authorityKeyIdentifier === undefined && !isSelfIssued,
      'the authority key identifier is missing',
    ),
    ...faultIf(authority?.critical === true, 'the authority key identifier is critical'),
  ];
}

function lintKeyUsage({ extensions, isCa, publicKey }: Certificate): string[] {
  const usage = findExtension(extensions, oid.keyUsage);
  if (usage === undefined) return ['keyUsage is missing'];
  const bits = parseKeyUsage(usage.value);
  const has = (bit: keyof typeof keyUsageBit): boolean => bits.includes(keyUsageBit[bit]);
  return [
    ...faultIf(!usage.critical, 'keyUsage is not critical'),
    ...faultIf(bits.length === 0, 'keyUsage is empty'),
    ...faultIf(!usage.value.equals(encodeNamedBits(bits)), 'keyUsage has trailing zero bits'),
    ...faultIf(!isCa && has('keyCertSign'), 'keyUsage lets a leaf sign certificates'),
    ...faultIf(isCa && !has('keyCertSign'), 'keyUsage forbids the authority to sign certificates'),
    ...faultIf(isCa && !has('cRLSign'), 'keyUsage forbids the authority to sign revocation lists'),
    ...faultIf(
      publicKey.kind !== 'RSA' && has('keyEncipherment'),
      `keyUsage has keyEncipherment for a key of ${publicKey.kind}`,
    ),
  ];
}

function lintConstraints({ extensions, isCa, pathLength }: Certificate): string[] {
  const constraints = findExtension(extensions, oid.basicConstraints);
  return [
    ...faultIf(constraints === undefined, 'basicConstraints is missing'),
    ...faultIf(constraints?.critical === false, 'basicConstraints is not critical'),
    ...faultIf(!isCa && pathLength !== undefined, 'basicConstraints bounds the path of a leaf'),
  ];
}

function lintSubjectAltName({ extensions, isCa, subject }: Certificate): string[] {
  const subjectAltName = findExtension(extensions, oid.subjectAltName);
  if (subjectAltName === undefined) {
    return faultIf(!isCa && !isForOcspAlone(extensions), 'the subjectAltName is missing');
  }
  const isEmpty = subject.length === 0;
  return [
    ...faultIf(
      isEmpty && !subjectAltName.critical,
      'the subject is empty and the subjectAltName not critical',
    ),
    ...faultIf(!isEmpty && subjectAltName.critical, 'there is a subject and the subjectAltName is critical'),
  ];
}

const ocspSigning = '1.3.6.1.5.5.7.3.9';

/** A responder of OCSP is known by its key and serves under no name. */
function isForOcspAlone(extensions: readonly Extension[]): boolean {
  const purposes = findExtension(extensions, oid.extendedKeyUsage);
  return purposes !== undefined && parseExtendedKeyUsage(purposes.value).join() === ocspSigning;
}

function lintPurposes({ extensions }: Certificate): string[] {
  const purposes = findExtension(extensions, oid.extendedKeyUsage);
  if (purposes === undefined) return [];
  return faultIf(parseExtendedKeyUsage(purposes.value).length === 0, 'the extended key usage is empty');
}
