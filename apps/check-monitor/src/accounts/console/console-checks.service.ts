import { InvalidInput } from '@certloop/contracts';
import { slicesOf, type Tx, yieldBetween } from '@certloop/db';
import { listNotifyingChecks } from '../../channels/assign-channel.repository.js';
import { listAssignedUuids } from '../../channels/check-channels.repository.js';
import type { CheckSummary } from '../../checks/check-summary.js';
import { deadlineOf, timingAt } from '../../checks/check-timing.js';
import { describeCheckFor } from '../../checks/check-view.js';
import { listChecksByIds } from '../../checks/rows/check-cells.repository.js';
import type { DbDeps } from '../../db-deps.js';
import { type FlipRow, listLatestFlips } from '../../flips/flips.repository.js';
import { isoSeconds, type Micros, microsPerSecond } from '../../instants.js';
import type { PingLimits } from '../../pings/ping-limits.service.js';
import type { Caller } from '../../projects/caller.js';
import { isUuid } from '../../storable-text.js';
import { type CheckPageQuery, pageOfChecks, type RankedCheck } from './check-page.js';
import type { CheckSummaries } from './check-summaries.store.js';
import type { RunsStore } from './history/recent-runs.store.js';
import { orderChecks } from './order-checks.service.js';

export interface ConsoleChecksDeps extends PingLimits, DbDeps {
  readonly summaries: CheckSummaries;
  readonly recentRuns: RunsStore;
  readonly addresses: { readonly siteRoot: string; readonly pingEndpoint: string };
}

/** A query of the list as it came; `channel` is the uuid of an integration. */
export interface ConsoleListQuery extends Omit<CheckPageQuery, 'ids'> {
  readonly channel?: string | undefined;
  /** Whether each check is shown with its state. */
  readonly hasState: boolean;
}

// some milliseconds of work, also where each has hundreds of tags
const describedAtOnce = 250;

/**
 * A page of the checks of the caller's project, with how many match and where the next page begins. Throws InvalidInput
 * for the cursor and the integration.
 */
export async function listCheckPage(deps: ConsoleChecksDeps, caller: Caller, query: ConsoleListQuery) {
  const { projectId } = caller;
  const { channel } = query;
  if (channel !== undefined && !isUuid(channel)) {
    throw new InvalidInput('channel: must be the id of an integration');
  }
  const summaries = await deps.summaries.list(projectId);
  const now = deps.clock.now();
  const ids =
    channel === undefined
      ? undefined
      : await deps.db.longRead((tx) => listNotifyingChecks(tx, projectId, channel));
  const found = await orderChecks(summaries, { ...query, ids }, now);
  const { rows, ...page } = pageOfChecks(found, query, now);
  const rowIds = rows.map(({ check }) => check.id);
  const { listed, channelIds, falls } = await deps.db.read(async (tx) => ({
    listed: new Map((await listChecksByIds(tx, projectId, rowIds)).map((check) => [check.id, check])),
    channelIds: await listAssignedUuids(tx, projectId, rowIds),
    falls: query.hasState ? await fallsOf(tx, rows, now) : new Map<number, Fall>(),
  }));
  const describe = (id: number) => {
    const check = listed.get(id);
    // deleted in the meantime
    if (check === undefined) return [];
    const assigned = { check, channelIds: channelIds.get(id) ?? [] };
    const seen = describeCheckFor(caller, assigned, { addresses: deps.addresses, now });
    if (!query.hasState) return [seen];
    const { expectedAt } = timingAt(check, now);
    return [{ ...seen, ...stateOf(caller, check, expectedAt, falls.get(id)) }];
  };
  const checks: ReturnType<typeof describe> = [];
  for await (const slice of yieldBetween(slicesOf(rowIds, describedAtOnce)))
    checks.push(...slice.flatMap(describe));
  return { checks, ...page };
}

/** Why a check is down. */
interface Fall {
  readonly at: Micros;
  readonly isTimeout: boolean;
}

function stateOf(
  caller: Caller,
  check: Pick<CheckSummary, 'uuid' | 'uniqueKey' | 'kind' | 'graceSeconds'>,
  nextAt: Micros | null,
  fall: Fall | undefined,
) {
  const missedAt = fall?.isTimeout === true ? fall.at - check.graceSeconds * microsPerSecond : null;
  const expectedAt = nextAt ?? missedAt;
  return {
    id: idFor(caller, check),
    kind: check.kind,
    ...(expectedAt === null ? {} : { expectedAt: isoSeconds(expectedAt) }),
    ...(fall === undefined ? {} : { downSince: isoSeconds(fall.at) }),
  };
}

/** Since when checks that are down are down, by their ids. */
export async function fallsOf(tx: Tx, rows: readonly RankedCheck[], now: Micros): Promise<Map<number, Fall>> {
  const down = rows.filter(({ status }) => status === 'down').map(({ check }) => check);
  const flips = await listLatestFlips(
    tx,
    down.map(({ id }) => id),
  );
  return new Map(down.map((check) => [check.id, fallOf(check, flips.get(check.id), now)]));
}

/** A check that no alert loop has marked yet fell at its deadline. */
function fallOf(check: CheckSummary, flip: FlipRow | undefined, now: Micros): Fall {
  if (check.storedStatus === 'down' && flip?.newStatus === 'down') {
    return { at: flip.at, isTimeout: flip.reason === 'timeout' };
  }
  return { at: deadlineOf(check) ?? check.lastPing ?? now, isTimeout: true };
}

export function idFor(
  { kind }: Pick<Caller, 'kind'>,
  check: Pick<CheckSummary, 'uuid' | 'uniqueKey'>,
): string {
  return kind === 'read-write' ? check.uuid : check.uniqueKey;
}
