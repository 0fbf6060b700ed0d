import type { FqdnChange, FqdnChangeResult } from '@certloop/contracts/browser';

/** Ids in one request; the service takes no more. */
export const idsAtOnce = 1_000;

/** The requests that a change of these names takes: one for a filter, one for every 1000 ids. */
export function slicesOf({
  ids,
  filter,
}: Pick<FqdnChange, 'ids' | 'filter'>): readonly Pick<FqdnChange, 'ids' | 'filter'>[] {
  if (ids === undefined) return [{ filter }];
  const count = Math.ceil(ids.length / idsAtOnce);
  return Array.from({ length: count }, (_, place) => ({
    ids: ids.slice(place * idsAtOnce, (place + 1) * idsAtOnce),
  }));
}

export const noResult: FqdnChangeResult = { matched: 0, changed: 0, unchanged: 0, skipped: [] };

/** The result of two requests together. */
export function addedResults(one: FqdnChangeResult, other: FqdnChangeResult): FqdnChangeResult {
  return {
    matched: one.matched + other.matched,
    changed: one.changed + other.changed,
    unchanged: one.unchanged + other.unchanged,
    skipped: [...one.skipped, ...other.skipped].slice(0, 100),
  };
}
