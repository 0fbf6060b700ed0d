import { type CheckEvent, InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Check } from '../../../checks/check.js';
import { readCheck } from '../../../checks/checks.service.js';
import type { DbDeps } from '../../../db-deps.js';
import { listFlipsBetween } from '../../../flips/flips.repository.js';
import { type Micros, parseInstant } from '../../../instants.js';
import { listCheckMessages } from '../../../notifications/delivery-lists.repository.js';
import { pairRuns } from '../../../pings/durations.js';
import { type PingLimits, pingLimitOf } from '../../../pings/ping-limits.service.js';
import { listPingsBetween } from '../../../pings/pings.repository.js';
import type { Caller } from '../../../projects/caller.js';
import type { CheckSummaries } from '../check-summaries.store.js';
import { deliveryEvent, flipEvent, pingEvent } from './check-events.js';

export interface CheckHistoryDeps extends PingLimits, DbDeps {
  readonly summaries: CheckSummaries;
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
  if (unknown !== undefined) throw new InvalidInput(`types: must be one or more of ${eventTypes.join(', ')}`);
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
