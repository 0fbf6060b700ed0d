import type { Diagnosis } from '@certloop/contracts';
import type { Check } from '../../../checks/check.js';
import { deadlineOf } from '../../../checks/check-timing.js';
import { readCheck } from '../../../checks/checks.service.js';
import { type FlipRow, listLatestFlips } from '../../../flips/flips.repository.js';
import type { Micros } from '../../../instants.js';
import { listLatestPings, type PingSummary } from '../../../pings/pings.repository.js';
import type { Caller } from '../../../projects/caller.js';
import { diagnosisOf } from '../diagnosis.js';
import { suggestionPings } from '../suggest-schedule.js';
import type { CheckHistoryDeps } from './check-history.service.js';

// with starts, failures and logs between the successes
const diagnosisPings = 50;

/** Why a check is in its state. Throws NotFound or Forbidden. */
export async function diagnoseCheck(deps: CheckHistoryDeps, caller: Caller, id: string): Promise<Diagnosis> {
  const others = await deps.summaries.list(caller.projectId);
  return deps.db.read(async (tx) => {
    const check = await readCheck(tx, caller, id);
    const now = deps.clock.now();
    const pings = await listLatestPings(tx, check.id, diagnosisPings);
    const last = pings.find(({ signal }) => signal === 'success' || signal === 'fail');
    const fall = fallOf(check, (await listLatestFlips(tx, [check.id])).get(check.id), last);
    return diagnosisOf({
      check,
      now,
      fall,
      exitStatus: fall?.reason === 'fail' ? (last?.exitStatus ?? null) : null,
      successes: pings
        .filter(({ signal }) => signal === 'success')
        .slice(0, suggestionPings)
        .map(({ at }) => at),
      zones: others.filter(({ kind }) => kind !== 'simple').map(({ tz }) => tz),
    });
  });
}

/** When and why a check went down that is down. A failure of a check that was down already counts as the reason. */
function fallOf(
  check: Check,
  flip: Pick<FlipRow, 'at' | 'newStatus' | 'reason'> | undefined,
  last: Pick<PingSummary, 'at' | 'signal'> | undefined,
): { readonly at: Micros; readonly reason: string } | undefined {
  if (check.storedStatus === 'down' && last?.signal === 'fail') return { at: last.at, reason: 'fail' };
  if (check.storedStatus === 'down' && flip?.newStatus === 'down') return flip;
  // the alert loop may not have come by yet
  const deadline = deadlineOf(check);
  return deadline === null ? undefined : { at: deadline, reason: 'timeout' };
}
