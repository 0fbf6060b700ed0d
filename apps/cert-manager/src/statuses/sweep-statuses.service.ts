import { slicesOf, type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { changedOf, refreshStatesOf } from './refresh-states.service.js';
import { readFactsAfter } from './status-facts.repository.js';
import { statusRowsOf } from './status-rows.service.js';
import { listStatusesBetween } from './statuses.repository.js';

export interface SweepStatusesDeps extends DbDeps {
  readonly logger: Logger;
  readonly emit: StateEvents;
}

/** Events of stored states; `changes/reactions.service.ts` lists what follows each of them. */
export interface StateEvents {
  /** The stored states of the FQDNs were wrong, and were corrected in an earlier transaction. */
  statesCorrected(tx: Tx, event: { readonly fqdnIds: readonly string[] }): Promise<void>;
}

const slice = 200;
// a transaction has some statements for each, and other requests wait for it on SQLite
const mendedAtOnce = 32;

/**
 * Compares how all FQDNs stand with what is stored, and mends what differs: what a process of an earlier version changed,
 * and what no event says, such as a provider that was deleted. In slices, so that no one waits for it long.
 */
export async function sweepStatuses({ db, clock, logger, emit }: SweepStatusesDeps): Promise<void> {
  let corrected = 0;
  let last = '';
  for await (const _round of yieldBetween()) {
    const { facts, wrong } = await db.longRead(async (tx) => {
      const found = await readFactsAfter(tx, last, slice);
      const [first, end] = [found.at(0), found.at(-1)];
      if (first === undefined || end === undefined) return { facts: found, wrong: [] };
      const stored = await listStatusesBetween(tx, first.id, end.id);
      const rows = await statusRowsOf(tx, found, stored, clock.now());
      return { facts: found, wrong: changedOf(rows, stored).map(({ id }) => id) };
    });
    // read again there: it may have been corrected or changed in the meantime
    for await (const ids of yieldBetween(slicesOf(wrong, mendedAtOnce))) {
      await db.transaction((tx) => refreshStatesOf(tx, ids, { clock }));
      // in a transaction of its own: other work locks the check before the state
      await db.transaction((tx) => emit.statesCorrected(tx, { fqdnIds: ids }));
    }
    corrected += wrong.length;
    if (facts.length < slice) break;
    last = facts.at(-1)?.id ?? '';
  }
  if (corrected > 0) logger.info({ corrected }, 'standings.corrected');
}
