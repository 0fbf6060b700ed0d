import type { FqdnCounts } from '@certloop/contracts';

/** What is shown of the counts of FQDNs. */
export type ShownCounts = Readonly<FqdnCounts>;

/** Counts of FQDNs as the API shows them. */
export function countsView(counts: ShownCounts): FqdnCounts {
  const { total, needsYou, unfinished, valid, due, failing, expired } = counts;
  return { total, needsYou, unfinished, valid, due, failing, expired };
}
