import type { CheckChange, CheckChangeResult } from '@certloop/contracts/browser';
import type { BulkProgress, BulkRules } from '@certloop/web-kit';

/** How far a change of checks has come. */
export type CheckProgress = BulkProgress<CheckChange, CheckChangeResult>;

/** How the results of changes of checks add up. */
export const checkRules: BulkRules<CheckChangeResult> = {
  none: { matched: 0, changed: 0, unchanged: 0, skipped: 0, results: [] },
  add: (one, other) => ({
    matched: one.matched + other.matched,
    changed: one.changed + other.changed,
    unchanged: one.unchanged + other.unchanged,
    skipped: one.skipped + other.skipped,
    results: [...one.results, ...other.results],
  }),
  nextOf: ({ next }) => next,
};
