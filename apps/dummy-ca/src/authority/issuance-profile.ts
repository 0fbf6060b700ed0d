import { InvalidInput } from '@certloop/contracts';

/** Keys that a root made at start may have. */
export const authorityKeyTypes = ['P-256', 'P-384', 'RSA-2048', 'RSA-3072', 'RSA-4096'] as const;
export type AuthorityKeyType = (typeof authorityKeyTypes)[number];

/** Bounds of a certificate's validity in whole seconds, both inclusive (RFC 5280 §4.1.2.5). */
export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const dayMs = 86_400_000;
export const daySeconds = 86_400;

/** Validity of a root made at start: `pastDays` back, `days` in all. */
export function rootValidity(days: number, pastDays: number, now: Date): Validity {
  const begin = wholeSecond(now.getTime() - pastDays * dayMs);
  return { notBefore: new Date(begin), notAfter: new Date(begin + days * dayMs) };
}

/** How long a certificate is to last, and from when. */
export interface AskedLength {
  readonly seconds: number;
  /** Seconds from now to notBefore, negative for the past; undefined for the usual moment. */
  readonly offsetSeconds?: number | undefined;
}

/**
 * Validity of a certificate: it begins as far back as clocks of clients may be slow, or a tenth of its length when that
 * is less, unless another moment is asked for; both bounds are within the root's own. Where the root has
 * ended, or is yet to begin, `notAfter` is not after `notBefore`. Throws InvalidInput that names
 * `not_before_offset_seconds` when the moment asked for is none of the root's.
 */
export function leafValidity(
  { seconds, offsetSeconds }: AskedLength,
  now: Date,
  root: Validity,
  backdateSeconds: number,
): Validity {
  const begin =
    offsetSeconds === undefined
      ? wholeSecond(now.getTime()) - Math.floor(Math.min(backdateSeconds, seconds / 10)) * 1000
      : wholeSecond(now.getTime()) + offsetSeconds * 1000;
  const notBefore = Math.max(begin, root.notBefore.getTime());
  if (offsetSeconds !== undefined && (begin !== notBefore || begin >= root.notAfter.getTime())) {
    throw outsideOfRoot(root);
  }
  const end = Math.min(notBefore + seconds * 1000, root.notAfter.getTime());
  return { notBefore: new Date(notBefore), notAfter: new Date(end) };
}

function outsideOfRoot({ notBefore, notAfter }: Validity): InvalidInput {
  const message = `must lead into the validity of the root, ${notBefore.toISOString()} to ${notAfter.toISOString()}`;
  const path = 'not_before_offset_seconds';
  return new InvalidInput(`${path}: ${message}`, { fields: [{ path, code: 'outside_of_root', message }] });
}

function wholeSecond(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
