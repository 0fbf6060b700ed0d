import {
  type CheckEvent,
  type Diagnosis,
  type Downtimes,
  type DurationBucket,
  InvalidInput,
} from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import type { Check } from '../../../checks/check.js';
import { deadlineOf } from '../../../checks/check-state.js';
import { readCheck } from '../../../checks/checks.service.js';
import { currentTimeZone } from '../../../checks/schedules/time-zones.js';
import { type FlipRow, listFlipsBetween, listLatestFlips } from '../../../flips/flips.repository.js';
import { type Clock, type Micros, parseInstant } from '../../../instants.js';
import { listCheckMessages } from '../../../notifications/notifications.repository.js';
import { pairRuns } from '../../../pings/durations.js';
import { type PingLimits, pingLimitOf } from '../../../pings/ping-limits.service.js';
import {
  listLatestEvents,
  listLatestPings,
  listPingsBetween,
  type PingSummary,
} from '../../../pings/pings.repository.js';
import type { Caller } from '../../../projects/caller.js';
import { diagnosisOf } from '../diagnosis.js';
import type { Standings } from '../standings.store.js';
import { suggestionPings } from '../suggest-schedule.js';
import { deliveryEvent, flipEvent, pingEvent } from './check-events.js';
import { downtimesOf } from './downtimes.js';
import { durationBuckets } from './duration-buckets.js';

export interface CheckHistoryDeps extends PingLimits {
  readonly db: Database;
  readonly clock: Clock;
  readonly standings: Standings;
}

/** Which events of a check are wanted, as it came. */
export interface EventQuery {
  /** `ping`, `flip`, `delivery`, with commas between them; all when undefined. */
  readonly types?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

const eventTypes = ['ping', 'flip', 'delivery'];

/** Events of a check, newest first, and where the next page begins. Throws NotFound, Forbidden or InvalidInput. */
export function listEvents(
  deps: CheckHistoryDeps,
  caller: Caller,
  id: string,
  { types = eventTypes.join(), limit = 50, ...bounds }: EventQuery,
): Promise<{ readonly events: CheckEvent[]; readonly next?: string }> {
  const wanted = types.split(',');
  const unknown = wanted.find((type) => !eventTypes.includes(type));
  if (unknown !== undefined) throw new InvalidInput(`types: must be some of ${eventTypes.join(', ')}`);
  const before = momentOf('before', bounds.before) ?? Number.MAX_SAFE_INTEGER;
  const after = momentOf('after', bounds.after) ?? 0;
  return deps.db.read(async (tx) => {
    const check = await readCheck(tx, caller, id);
    // one more than asked for says whether there is a next page
    const window = { after, before, limit: limit + 1 };
    const found = [
      ...(wanted.includes('ping') ? await pingEvents(deps, tx, check, window) : []),
      ...(wanted.includes('flip') ? (await listFlipsBetween(tx, check.id, window)).map(flipEvent) : []),
      ...(wanted.includes('delivery')
        ? (await listCheckMessages(tx, check.id, window)).map(deliveryEvent)
        : []),
    ].sort((one, other) => (one.at < other.at ? 1 : Number(one.at > other.at) * -1));
    const events = found.slice(0, limit);
    const last = events.at(-1);
    return { events, ...(found.length > limit && last !== undefined ? { next: last.at } : {}) };
  });
}

async function pingEvents(
  deps: PingLimits,
  tx: Tx,
  check: Check,
  window: { readonly after: Micros; readonly before: Micros; readonly limit: number },
): Promise<CheckEvent[]> {
  const pingLimit = await pingLimitOf(deps, tx, check.projectId);
  const found = await listPingsBetween(tx, check.id, window);
  const stored = found.filter(({ n }) => n > check.pingCount - pingLimit);
  const { durations } = pairRuns(stored.toReversed());
  return stored.map((ping) => pingEvent(ping, durations.get(ping.n)));
}

function momentOf(name: string, text: string | undefined): Micros | undefined {
  if (text === undefined) return undefined;
  // a plus that was not encoded in the query has become a blank
  const moment = parseInstant(text.replace(' ', '+').replace(/^(\d{4}-\d\d-\d\d)\+/, '$1T'));
  if (moment === undefined) throw new InvalidInput(`${name}: must be a moment such as 2026-01-02T03:04:05Z`);
  return moment;
}

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

// with starts, failures and logs between the successes
const diagnosisPings = 50;

/** Why a check is in its state. Throws NotFound or Forbidden. */
export async function diagnoseCheck(deps: CheckHistoryDeps, caller: Caller, id: string): Promise<Diagnosis> {
  const others = await deps.standings.list(caller.projectId);
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
