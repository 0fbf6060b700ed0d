import { type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { type Flip, judgeOverdue } from '../checks/check-state.js';
import { flipRow } from '../checks/checks.service.js';
import {
  listOverdueChecks,
  type OverdueCheck,
  postponeChecks,
  turnDown,
} from '../checks/rows/overdue-checks.repository.js';
import type { DbDeps } from '../db-deps.js';
import { insertFlips } from '../flips/flips.repository.js';
import { type Micros, microsPerSecond } from '../instants.js';

export interface MarkOverdueDeps extends DbDeps {
  readonly logger: Logger;
  /** Called for each check that went down. */
  readonly noteChange?: (uuid: string) => void;
}

// a transaction on SQLite holds up everything else, and these take some milliseconds
const checksAtOnce = 50;
const hour = 3600 * microsPerSecond;

interface Falling {
  readonly check: OverdueCheck;
  readonly flip: Flip;
}

/**
 * Marks every check whose deadline has passed as down, with a flip dated at that deadline; calls `deliver` after each
 * batch, so that the first messages do not wait for the last check. Concurrent changes of a check, in any process, take
 * precedence.
 */
export async function markOverdue(deps: MarkOverdueDeps, deliver: () => Promise<unknown>): Promise<void> {
  for await (const _round of yieldBetween()) {
    const { seen, fallen } = await deps.db.transaction((tx) => markSome(deps, tx));
    for (const uuid of fallen) deps.noteChange?.(uuid);
    await deliver();
    if (seen < checksAtOnce) break;
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

/** Marks checks as down and records their flips; for each check only one process does. Returns uuids. */
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

/** A check that cannot be evaluated must not stop the others: it is evaluated again in an hour. */
function judge(
  { logger }: MarkOverdueDeps,
  check: OverdueCheck,
  now: Micros,
): ReturnType<typeof judgeOverdue> {
  try {
    return judgeOverdue(check, now);
  } catch (error) {
    logger.error({ error, check: check.uuid }, 'check.evaluation_failed');
    return { isDown: false, alertAfter: now + hour };
  }
}
