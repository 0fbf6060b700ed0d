import { type Downtimes, type DurationBucket, InvalidInput } from '@certloop/contracts';
import { deadlineOf } from '../../../checks/check-timing.js';
import { readCheck } from '../../../checks/checks.service.js';
import { currentTimeZone } from '../../../checks/schedules/time-zones.js';
import { listFlipsBetween } from '../../../flips/flips.repository.js';
import type { Micros } from '../../../instants.js';
import { pingLimitOf } from '../../../pings/ping-limits.service.js';
import { listLatestEvents } from '../../../pings/pings.repository.js';
import type { Caller } from '../../../projects/caller.js';
import type { CheckHistoryDeps } from './check-history.service.js';
import { downtimesOf } from './downtimes.js';
import { durationBuckets } from './duration-buckets.js';

const maxPings = 10_000;

/** Durations of the runs whose pings are stored. Throws NotFound or Forbidden. */
export function readDurations(
  deps: CheckHistoryDeps,
  caller: Caller,
  id: string,
  points = 100,
): Promise<DurationBucket[]> {
  return deps.db.read(async (tx) => {
    const check = await readCheck(tx, caller, id);
    const limit = await pingLimitOf(deps, tx, check.projectId);
    const found = await listLatestEvents(tx, check.id, Math.min(limit, maxPings));
    return durationBuckets(found.toReversed(), points);
  });
}

const maxFlips = 10_000;

/** Downtimes of a check in a zone, its own if undefined. Throws NotFound, Forbidden or InvalidInput. */
export function readDowntimes(
  deps: CheckHistoryDeps,
  caller: Caller,
  id: string,
  {
    months = 3,
    days,
    tz,
  }: {
    readonly months?: number | undefined;
    readonly days?: number | undefined;
    readonly tz?: string | undefined;
  },
): Promise<Downtimes> {
  const zone = tz === undefined ? undefined : currentTimeZone(tz);
  if (tz !== undefined && zone === undefined)
    throw new InvalidInput('tz: must be a time zone such as Europe/Riga');
  return deps.db.read(async (tx) => {
    const check = await readCheck(tx, caller, id);
    const now = deps.clock.now();
    const window = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: maxFlips };
    const found = await listFlipsBetween(tx, check.id, window);
    const own = check.kind === 'simple' ? 'UTC' : check.tz;
    const changes: { at: Micros; newStatus: string }[] = found.toReversed();
    const deadline = deadlineOf(check);
    // the alert loop may not have come by yet
    if (check.storedStatus !== 'down' && deadline !== null && deadline <= now) {
      changes.push({ at: deadline, newStatus: 'down' });
    }
    return downtimesOf(changes, { months, days }, { tz: zone ?? own, now });
  });
}
