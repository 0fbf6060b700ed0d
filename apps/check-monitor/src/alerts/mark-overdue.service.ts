import type { Database, Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { Check } from '../checks/check.js';
import { judgeOverdue } from '../checks/check-state.js';
import { listOverdueChecks, updateOverdueCheck } from '../checks/checks.repository.js';
import { recordFlip } from '../checks/checks.service.js';
import { type Micros, microsPerSecond } from '../instants.js';

export interface MarkOverdueDeps {
  readonly database: Database;
  readonly now: () => Micros;
  readonly logger: Logger;
}

const checksAtOnce = 100;
const hour = 3600 * microsPerSecond;

/**
 * Turns down every check whose deadline has passed, with a flip dated at that deadline; returns how many fell. What
 * happens to a check meanwhile, here or in another process, wins.
 */
export async function markOverdue(deps: MarkOverdueDeps): Promise<number> {
  let fell = 0;
  for (;;) {
    const { seen, down } = await deps.database.transaction((tx) => markSome(deps, tx));
    fell += down;
    if (seen < checksAtOnce) return fell;
  }
}

async function markSome(deps: MarkOverdueDeps, tx: Tx): Promise<{ seen: number; down: number }> {
  const now = deps.now();
  const overdue = await listOverdueChecks(tx, now, checksAtOnce);
  let down = 0;
  for (const check of overdue) if (await settle(deps, tx, check, now)) down += 1;
  return { seen: overdue.length, down };
}

async function settle(deps: MarkOverdueDeps, tx: Tx, check: Check, now: Micros): Promise<boolean> {
  const verdict = judge(deps, check, now);
  if (!verdict.isDown) {
    await updateOverdueCheck(tx, check, { alertAfter: verdict.alertAfter });
    return false;
  }
  const wasFirst = await updateOverdueCheck(tx, check, { storedStatus: 'down', alertAfter: null });
  if (wasFirst) await recordFlip(tx, check.id, verdict.flip);
  return wasFirst;
}

/** A check that cannot be judged must not stop the others: it is looked at again in an hour. */
function judge({ logger }: MarkOverdueDeps, check: Check, now: Micros): ReturnType<typeof judgeOverdue> {
  try {
    return judgeOverdue(check, now);
  } catch (error) {
    logger.error({ error, check: check.uuid }, 'check.not_judged');
    return { isDown: false, alertAfter: now + hour };
  }
}
