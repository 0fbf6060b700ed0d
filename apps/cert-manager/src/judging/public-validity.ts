import { calendar, publicLifetimeRule } from '@certloop/crypto';

const day = 86_400_000;

/** Days that a publicly trusted certificate may last which begins at this moment (Baseline Requirements §6.3.2). */
export function publicValidityDays(notBefore: Date): number {
  return publicLifetimeRule(calendar, notBefore)?.effect.days ?? Number.POSITIVE_INFINITY;
}

// RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476, and ICANN's reservation of .internal
const specialUse = /(?:^|\.)(?:test|example|invalid|localhost|local|onion|alt|internal|home\.arpa)$/;
// RFC 1035 §3.5, RFC 3596 §2.5: names of addresses, not of hosts
const reverseZone = /(?:^|\.)(?:in-addr|ip6)\.arpa$/;
const documentation = /(?:^|\.)example\.(?:com|net|org)$/;

/** Kinds of names that public CAs do not certify. */
export type UncertifiedKind = 'internal' | 'reverse_zone';

/** The kind of a host name in normal form that public CAs do not certify; undefined for any other. */
export function uncertifiedKind(hostname: string): UncertifiedKind | undefined {
  if (reverseZone.test(hostname)) return 'reverse_zone';
  const isInternal = !hostname.includes('.') || specialUse.test(hostname) || documentation.test(hostname);
  return isInternal ? 'internal' : undefined;
}

/** Whether public CAs may certify a host name in normal form: it could be someone's in the public DNS, and names a host. */
export function isPublicName(hostname: string): boolean {
  return uncertifiedKind(hostname) === undefined;
}

/**
 * Days that a certificate lasts, as the Baseline Requirements count them (§6.3.2): with its last second, and each begun
 * day as a whole one.
 */
export function lifetimeDays({ notBefore, expiresAt }: Lifetime): number {
  return Math.ceil((expiresAt.getTime() - notBefore.getTime() + 1000) / day);
}

/** The first and the last second of a certificate. */
export interface Lifetime {
  readonly notBefore: Date;
  readonly expiresAt: Date;
}

/** Warning about a certificate for a public name that lasts longer than a public CA may let it. */
export function validityWarning(hostname: string, { notBefore, expiresAt }: Lifetime): string | undefined {
  const maxDays = publicValidityDays(notBefore);
  const days = lifetimeDays({ notBefore, expiresAt });
  if (days <= maxDays || !isPublicName(hostname)) return undefined;
  return `lasts for ${days} days, while public CAs may issue for ${maxDays}`;
}
