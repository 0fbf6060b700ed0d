import type { ServedClass } from '@certloop/contracts';

// worst first: what clients refuse, what is not ours, what is about to be refused, what is well
const worstFirst: readonly ServedClass[] = [
  'expired',
  'not_yet_valid',
  'name_mismatch',
  'foreign',
  'reissued_elsewhere',
  'stale',
  'chain_incomplete',
  'unreachable',
  'previous',
  'current',
];

/** Place of a class among all, the worst first. */
export const severityOf = (served: ServedClass): number => worstFirst.indexOf(served);

/** Verdict of an FQDN. */
export interface ServedVerdict {
  /** Undefined before the first observation. */
  readonly class: ServedClass | undefined;
  /** Whether addresses are of different classes. */
  readonly partial: boolean;
}

/** The worst of what the addresses serve, and whether they differ. */
export function verdictOf(classes: readonly ServedClass[]): ServedVerdict {
  const [worst] = [...classes].sort((a, b) => severityOf(a) - severityOf(b));
  return { class: worst, partial: new Set(classes).size > 1 };
}

const maxShown = 5;

/**
 * Returns the text for the check of an FQDN: the worst addresses, and how many more there are; undefined without any.
 */
export function faultText(
  faults: readonly { readonly class: ServedClass; readonly hint: string }[],
): string | undefined {
  if (faults.length === 0) return undefined;
  const sorted = [...faults].sort((a, b) => severityOf(a.class) - severityOf(b.class));
  const hints = sorted.slice(0, maxShown).map(({ hint }) => hint);
  const more = faults.length - maxShown;
  return [...hints, ...(more > 0 ? [`${more} more addresses are at fault.`] : [])].join('\n');
}
