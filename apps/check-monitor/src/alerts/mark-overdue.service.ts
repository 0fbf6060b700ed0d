import type { Database, Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { type Flip, judgeOverdue } from '../checks/check-state.js';
import { flipRow } from '../checks/checks.service.js';
import {
  listOverdueChecks,
  type OverdueCheck,
  postponeChecks,
  turnDown,
} from '../checks/rows/overdue-checks.repository.js';
import { insertFlips } from '../flips/flips.repository.js';
import { type Clock, type Micros, microsPerSecond } from '../instants.js';

export interface MarkOverdueDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each check that fell. */
  readonly noteChange?: (uuid: string) => void;
}

const checksAtOnce = 100;
const hour = 3600 * microsPerSecond;

interface Falling {
  readonly check: OverdueCheck;
  readonly flip: Flip;
}

/**
 * Turns down every check whose deadline has passed, with a flip dated at that deadline; returns how many fell. What
 * happens to a check meanwhile, here or in another process, wins.
 */
export async function markOverdue(deps: MarkOverdueDeps): Promise<number> {
  let fell = 0;
  for (;;) {
    const { seen, fallen } = await deps.db.transaction((tx) => markSome(deps, tx));
    for (const uuid of fallen) deps.noteChange?.(uuid);
    fell += fallen.length;
    if (seen < checksAtOnce) return fell;
  }
}

async function markSome(deps: MarkOverdueDeps, tx: Tx): Promise<{ seen: number; fallen: string[] }> {
  const now = deps.clock.now();
  const overdue = await listOverdueChecks(tx, now, checksAtOnce);
  const falling: Falling[] = [];
  const postponed: { readonly check: OverdueCheck; readonly alertAfter: Micros | null }[] = [];
  for (const check of overdue) {
    const verdict = judge(deps, check, now);
    if (verdict.isDown) falling.push({ check, flip: verdict.flip });
    else postponed.push({ check, alertAfter: verdict.alertAfter });
  }
  await postponeChecks(tx, postponed);
  return { seen: overdue.length, fallen: await letFall(tx, falling) };
}

/** Of several processes that see the same check fall, one turns it down and records the flip; returns uuids. */
async function letFall(tx: Tx, falling: readonly Falling[]): Promise<string[]> {
  if (falling.length === 0) return [];
  const fallen = await turnDown(
    tx,
    falling.map(({ check }) => check),
  );
  const fell = falling.filter(({ check }) => fallen.has(check.id));
  await insertFlips(
    tx,
    fell.map(({ check, flip }) => flipRow(check.id, flip)),
  );
  return fell.map(({ check }) => check.uuid);
}

/** A check that cannot be judged must not stop the others: it is looked at again in an hour. */
function judge(
  { logger }: MarkOverdueDeps,
  check: OverdueCheck,
  now: Micros,
): ReturnType<typeof judgeOverdue> {
  try {
    return judgeOverdue(check, now);
  } catch (error) {
    logger.error({ error, check: check.uuid }, 'check.not_judged');
    return { isDown: false, alertAfter: now + hour };
  }
}
