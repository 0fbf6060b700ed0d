/** Keys that a root made at start may have. */
export const authorityKeyTypes = ['P-256', 'P-384', 'RSA-2048', 'RSA-3072', 'RSA-4096'] as const;
export type AuthorityKeyType = (typeof authorityKeyTypes)[number];

/** Bounds of a certificate's validity in whole seconds, both inclusive (RFC 5280 §4.1.2.5). */
export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const dayMs = 86_400_000;
// Clocks of clients that are a little slow still find a new certificate valid.
const backdatedMs = 60_000;

/** Validity of a root made at start: one day back, `days` in all. */
export function rootValidity(days: number, now: Date): Validity {
  const begin = wholeSecond(now.getTime() - dayMs);
  return { notBefore: new Date(begin), notAfter: new Date(begin + days * dayMs) };
}

/**
 * Validity of a certificate: it begins 60 s back and lasts `days`, both within the root's own.
 * Where the root has ended, or is yet to begin, `notAfter` is not after `notBefore`.
 */
export function leafValidity(days: number, now: Date, root: Validity): Validity {
  const begin = Math.max(wholeSecond(now.getTime() - backdatedMs), root.notBefore.getTime());
  const end = Math.min(begin + days * dayMs, root.notAfter.getTime());
  return { notBefore: new Date(begin), notAfter: new Date(end) };
}

function wholeSecond(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
