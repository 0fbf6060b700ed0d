import type { FqdnChangeResult } from '@certloop/contracts/browser';
import type { BulkRules } from '@certloop/web-kit';

/** How the results of changes of names add up. A filter matches no more names than one request changes. */
export const nameRules: BulkRules<FqdnChangeResult> = {
  none: { matched: 0, changed: 0, unchanged: 0, skipped: [] },
  add: (one, other) => ({
    matched: one.matched + other.matched,
    changed: one.changed + other.changed,
    unchanged: one.unchanged + other.unchanged,
    skipped: [...one.skipped, ...other.skipped].slice(0, 100),
  }),
  nextOf: () => undefined,
};
