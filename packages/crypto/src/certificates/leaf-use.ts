import { contextConstructed, parseDer, tag } from '../der/der.js';
import { decodeOid, expectTag } from '../der/der-values.js';
import { oid } from '../der/oids.js';
import { type Extension, findExtension, parseExtendedKeyUsage, parseExtensions } from './extensions.js';

/** Facts of a leaf that the rules for public certificates depend on. */
export interface LeafUse {
  /** Whether its extended key usage names client authentication, or any purpose. */
  readonly isForClients: boolean;
  /**
   * Whether it asserts a policy of the Baseline Requirements (§7.1.6.1), as every public certificate for servers must,
   * and none of a private CA has reason to.
   */
  readonly isPublic: boolean;
}

const clientPurposes: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.2', '2.5.29.37.0']);

/** Reserved by the CA/Browser Forum: extended validation; domain, organization and individual validated. */
const publicPolicies: ReadonlySet<string> = new Set([
  '2.23.140.1.1',
  '2.23.140.1.2.1',
  '2.23.140.1.2.2',
  '2.23.140.1.2.3',
]);

/**
 * Reads both from a certificate that was parsed before it was stored, so nothing else of it is looked at, which takes a
 * tenth of the time. Throws InvalidInput for anything malformed.
 */
export function readLeafUse(der: Buffer): LeafUse {
  const extensions = extensionsOf(der);
  const purposes = findExtension(extensions, oid.extendedKeyUsage);
  const policies = findExtension(extensions, oid.certificatePolicies);
  return {
    isForClients:
      purposes !== undefined &&
      parseExtendedKeyUsage(purposes.value).some((purpose) => clientPurposes.has(purpose)),
    isPublic:
      policies !== undefined &&
      policyIdentifiers(policies.value).some((policy) => publicPolicies.has(policy)),
  };
}

/** Extensions of a certificate (RFC 5280 §4.1.2.9). */
function extensionsOf(der: Buffer): Extension[] {
  const certificate = parseDer(der, 'certificate');
  const [signed] = certificate.children;
  if (signed === undefined) throw certificate.malformed('it has no signed part');
  const [list] = signed.children.find((part) => part.tag === contextConstructed(3))?.children ?? [];
  return list === undefined ? [] : parseExtensions(list);
}

/** Identifiers in a certificatePolicies value (RFC 5280 §4.2.1.4), without their qualifiers. */
function policyIdentifiers(value: Buffer): string[] {
  const list = expectTag(parseDer(value, 'certificatePolicies'), tag.sequence, 'the list of policies');
  return list.children.flatMap(({ children: [identifier] }) =>
    identifier?.tag === tag.oid ? [decodeOid(identifier, 'the policy')] : [],
  );
}
