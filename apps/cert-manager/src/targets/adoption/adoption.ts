import type { ServedClass } from '@certloop/contracts';

/** A certificate by what decides whether it is newer than another. */
export interface DatedLeaf {
  /** SHA-256 over its DER, hex. */
  readonly sha256: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A certificate that an address serves. */
export interface ServedLeaf extends DatedLeaf {
  /** Whether it covers the name that the server is asked for. */
  readonly isFitting: boolean;
}

/** Whether a certificate begins later than another, or at the same moment and ends later. */
export function isLater(one: DatedLeaf, other: DatedLeaf): boolean {
  const begins = one.notBefore.getTime() - other.notBefore.getTime();
  return begins === 0 ? one.notAfter > other.notAfter : begins > 0;
}

/**
 * Of all that the addresses of an FQDN serve at `now`, the certificate that is to become its newest one; undefined if none
 * is. Those that are valid, fit the name, and are the newest or later than it count, and of these the one that ends first.
 */
export function adoptionOf<Leaf extends ServedLeaf>(
  served: readonly Leaf[],
  newest: DatedLeaf | undefined,
  now: Date,
): Leaf | undefined {
  const [first] = served
    .filter((leaf) => leaf.isFitting && leaf.notBefore <= now && now <= leaf.notAfter)
    .filter((leaf) => newest === undefined || leaf.sha256 === newest.sha256 || isLater(leaf, newest))
    .sort(byEnd);
  return first === undefined || first.sha256 === newest?.sha256 ? undefined : first;
}

/** By the end, then by the beginning; the digest makes the order the same for everyone. */
function byEnd(one: DatedLeaf, other: DatedLeaf): number {
  const ends = one.notAfter.getTime() - other.notAfter.getTime();
  const begins = one.notBefore.getTime() - other.notBefore.getTime();
  return ends || begins || (one.sha256 < other.sha256 ? -1 : 1);
}

/** Classes of a certificate that is valid and fits, but is not the newest one. */
const otherClasses: ReadonlySet<ServedClass> = new Set([
  'previous',
  'stale',
  'reissued_elsewhere',
  'foreign',
]);

/**
 * Class of what an address of an adopting target serves. A later certificate than the newest one is well: other addresses
 * still serve that. An earlier one is never foreign, as it is judged by its dates.
 */
export function adoptingClassOf(
  found: ServedClass,
  leaf: DatedLeaf,
  newest: DatedLeaf | undefined,
): ServedClass {
  if (newest === undefined || !otherClasses.has(found)) return found;
  if (isLater(leaf, newest)) return 'current';
  return found === 'previous' ? 'previous' : 'stale';
}
