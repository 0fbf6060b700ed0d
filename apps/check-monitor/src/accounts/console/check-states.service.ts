import { type CheckCounts, type CheckState, type CheckStatus, InvalidInput } from '@certloop/contracts';
import { type CheckSummary, statusOf } from '../../checks/check-summary.js';
import { timingAt } from '../../checks/check-timing.js';
import { isoOrNull, isoSeconds } from '../../instants.js';
import { pingLimitOf } from '../../pings/ping-limits.service.js';
import type { Caller } from '../../projects/caller.js';
import { type ConsoleChecksDeps, fallsOf, idFor } from './console-checks.service.js';

const maxIds = 100;

/** Counts of the caller's project, and the states of those of its checks that `ids` names. Throws InvalidInput. */
export async function readCheckStates(
  deps: ConsoleChecksDeps,
  caller: Caller,
  ids: readonly string[],
): Promise<{ at: string; counts: CheckCounts; checks: CheckState[] }> {
  if (ids.length > maxIds) throw new InvalidInput(`ids: names more than ${maxIds} checks`);
  const summaries = await deps.summaries.list(caller.projectId);
  const now = deps.clock.now();
  const wanted = new Set(ids);
  const rows = summaries.map((check) => ({ check, status: statusOf(check, now) }));
  const named = rows.filter(({ check }) => wanted.has(check.uniqueKey) || wanted.has(check.uuid));
  return deps.db.read(async (tx) => {
    const falls = await fallsOf(tx, named, now);
    const limit = await pingLimitOf(deps, tx, caller.projectId);
    const runs = await deps.recentRuns.of(
      tx,
      named.map(({ check }) => check),
      limit,
    );
    const checks = named.map(({ check, status }): CheckState => {
      const fall = falls.get(check.id);
      return {
        id: idFor(caller, check),
        status,
        started: check.lastStart !== null,
        lastPing: isoOrNull(check.lastPing),
        nextPing: isoOrNull(timingAt(check, now).expectedAt),
        lastDuration: check.lastDuration === null ? null : Math.floor(check.lastDuration / 10_000) / 100,
        downSince: isoOrNull(fall?.at ?? null),
        recent: runs.get(check.id) ?? '',
      };
    });
    return { at: isoSeconds(now), counts: countsOf(rows), checks };
  });
}

/** Number of checks in each state. */
export function countsOf(
  rows: readonly { readonly status: CheckStatus; readonly check: Pick<CheckSummary, 'lastStart'> }[],
): CheckCounts {
  const counts = { new: 0, up: 0, grace: 0, down: 0, paused: 0, started: 0 };
  for (const { status, check } of rows) {
    counts[status] += 1;
    if (check.lastStart !== null) counts.started += 1;
  }
  return counts;
}
