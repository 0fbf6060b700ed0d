import type { Tx } from '@certloop/db';
import { isCanaryOverdue } from '../canary/canary-step.js';
import { findCanaryTurn } from '../canary/canary-turns.repository.js';
import { countWaitingChecks } from '../missing-watch.repository.js';

/** Problems that people must solve so that the watch works again, one sentence each. */
export async function findWatchTroubles(tx: Tx, now: Date): Promise<string[]> {
  const { renewal } = await countWaitingChecks(tx);
  const turn = await findCanaryTurn(tx);
  const few = `${renewal} certificates with renewal on have no check`;
  return [
    ...(renewal > 0 ? [`${few}, as the monitor has no room: raise its limit of checks`] : []),
    ...(turn !== undefined && isCanaryOverdue(turn.dueAt, now)
      ? [`the canary of the monitor has been due since ${turn.dueAt.toISOString()}: see the log`]
      : []),
  ];
}
