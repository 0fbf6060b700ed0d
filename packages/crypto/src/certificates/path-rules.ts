import { oid } from '../der/oids.js';
import { ConstraintJudge, parseNameConstraints } from '../names/name-constraints.js';
import { formatName } from '../names/names.js';
import { type Certificate, isWithinValidity } from './certificate.js';
import { extensionFacts } from './extension-facts.js';
import { findExtension, parseExtendedKeyUsage } from './extensions.js';

/**
 * Why TLS clients refuse the server certificate at the beginning of a path although every signature holds: more
 * authorities than one above allows (RFC 5280 §4.2.1.9), name constraints of an authority above (§4.2.1.10), a purpose
 * that is not TLS servers (§4.2.1.12), or a critical extension that is not known (§4.2). Dates are not judged. Leaf first, in the order of issue; the root may be omitted. One sentence, or
 * undefined. Throws InvalidInput for an extension that cannot be read.
 */
export function findPathFault(path: readonly Certificate[]): string | undefined {
  const judge = new ConstraintJudge();
  for (const [place, certificate] of path.entries()) {
    const below = path.slice(0, place);
    const fault =
      lengthFault(certificate, below) ??
      unknownExtensionFault(certificate) ??
      purposeFault(certificate) ??
      namesFault(certificate, below, judge);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Why a certificate is not valid at `now`, in one sentence. */
export function validityFault(certificate: Certificate, now: Date): string | undefined {
  const { notBefore, notAfter } = certificate;
  if (now < notBefore) return `${nameOf(certificate)} is not valid before ${notBefore.toISOString()}`;
  if (isWithinValidity(certificate, now)) return undefined;
  return `${nameOf(certificate)} expired at ${notAfter.toISOString()}`;
}

/**
 * Whether there are more authorities below this one than it allows; `below` begins with the leaf. RFC 5280 §4.2.1.9: those
 * that an authority issued for itself do not count.
 */
export function lengthFault(certificate: Certificate, below: readonly Certificate[]): string | undefined {
  const { pathLength } = certificate;
  if (pathLength === undefined) return undefined;
  if (below.slice(1).filter((authority) => !isSelfIssued(authority)).length <= pathLength) return undefined;
  return `${nameOf(certificate)} allows only ${pathLength} further authorities below it`;
}

const isSelfIssued = ({ issuerDer, subjectDer }: Certificate): boolean => issuerDer.equals(subjectDer);

const policyMappings = '2.5.29.33';
const policyConstraints = '2.5.29.36';
const inhibitAnyPolicy = '2.5.29.54';

// What clients know, and so do not refuse. Policies are not asked for, so they cannot fail.
const knownExtensions: ReadonlySet<string> = new Set([
  oid.keyUsage,
  oid.subjectAltName,
  oid.issuerAltName,
  oid.basicConstraints,
  oid.nameConstraints,
  oid.extendedKeyUsage,
  oid.certificatePolicies,
  oid.crlDistributionPoints,
  policyMappings,
  policyConstraints,
  inhibitAnyPolicy,
]);

function unknownExtensionFault(certificate: Certificate): string | undefined {
  const unknown = certificate.extensions.find(
    ({ oid: dotted, critical }) => critical && !knownExtensions.has(dotted),
  );
  if (unknown === undefined) return undefined;
  const { name } = extensionFacts(unknown.oid);
  return `${nameOf(certificate)} has the critical extension ${name}, which clients do not know`;
}

const serverAuth = '1.3.6.1.5.5.7.3.1';
const anyPurpose = '2.5.29.37.0';

/** An authority with purposes limits those below it, as all common clients have it. */
function purposeFault(certificate: Certificate): string | undefined {
  const extension = findExtension(certificate.extensions, oid.extendedKeyUsage);
  if (extension === undefined) return undefined;
  const purposes = parseExtendedKeyUsage(extension.value);
  if (purposes.includes(serverAuth) || purposes.includes(anyPurpose)) return undefined;
  return `${nameOf(certificate)} is not for TLS servers (its extended key usage lacks serverAuth)`;
}

/** RFC 5280 §6.1.3: what an authority issues for itself, such as a new key, is not constrained, unless it is the leaf. */
function namesFault(
  certificate: Certificate,
  below: readonly Certificate[],
  judge: ConstraintJudge,
): string | undefined {
  const extension = findExtension(certificate.extensions, oid.nameConstraints);
  if (extension === undefined) return undefined;
  const constraints = parseNameConstraints(extension.value);
  for (const [place, each] of below.entries()) {
    if (place > 0 && isSelfIssued(each)) continue;
    const fault = judge.findFault(constraints, each);
    if (fault !== undefined) return `${nameOf(each)}: ${fault}`;
  }
  return undefined;
}

function nameOf({ subject, subjectAltNames }: Certificate): string {
  return subject.length > 0
    ? `"${formatName(subject)}"`
    : `the certificate for ${subjectAltNames.dnsNames[0] ?? 'no name'}`;
}
