import type { Tx } from '@certloop/db';
import { listAssignedUuids } from '../channels/check-channels.repository.js';
import type { Check } from '../checks/check.js';
import type { Addresses } from '../checks/check-view.js';
import { listChecksById } from '../checks/rows/checks.repository.js';
import { listEarlierFlips, listFlipsById } from '../flips/flips.repository.js';
import type { Clock } from '../instants.js';
import type { AlertEvent } from '../integrations/messages/alert-event.js';
import { readStoredEvent } from '../integrations/messages/stored-event.js';
import { listPingsUpTo } from '../pings/pings.repository.js';
import { getProject } from '../projects/projects.repository.js';
import { describeAlert } from './alert.js';
import { leadOf } from './batches.js';
import type { SummariseOthers } from './other-checks.repository.js';
import type { QueuedBatch } from './turn-rows.repository.js';

export interface LoadAlertDeps {
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly summariseOthers: SummariseOthers;
}

/**
 * The events of batches, each of which concerns one check; a batch whose check was deleted has none. In few statements
 * for all of them, as thousands of checks may go down at the same time.
 */
export async function loadAlerts(
  { addresses, clock, summariseOthers }: LoadAlertDeps,
  tx: Tx,
  batches: readonly QueuedBatch[],
): Promise<ReadonlyMap<QueuedBatch, AlertEvent>> {
  const rows = batches.flatMap((batch) => batch.rows);
  const flips = await listFlipsById(tx, idsOf(rows.map(({ flipId }) => flipId)));
  const upLeads = batches.map(leadOf).filter(({ status }) => status === 'up');
  const earlier = await listEarlierFlips(tx, idsOf(upLeads.map(({ flipId }) => flipId)));
  const checks = await loadChecks(tx, idsOf(rows.map(({ checkId }) => checkId)));
  const found = batches.flatMap((batch) => {
    const { checkId, flipId } = leadOf(batch);
    const loaded = checks.get(checkId ?? 0);
    const flip = flips.get(flipId ?? 0);
    return loaded === undefined || flip === undefined ? [] : [{ batch, loaded, flip }];
  });
  const moments = found.map(({ flip }) => ({ checkId: flip.checkId, upTo: flip.at }));
  const lastPings = await listPingsUpTo(tx, moments);
  const events = new Map<QueuedBatch, AlertEvent>();
  for (const { batch, loaded, flip } of found) {
    const { deliveryId, status, event } = leadOf(batch);
    if (event !== null) {
      events.set(batch, readStoredEvent(event));
      continue;
    }
    const facts = {
      ...loaded,
      deliveryId,
      status,
      flip,
      flips: batch.rows.flatMap(({ flipId }) => flips.get(flipId ?? 0) ?? []),
      earlier: earlier.get(flip.id),
      lastPing: lastPings.get(flip.checkId),
      others: await summariseOthers(tx, loaded.check),
    };
    events.set(batch, describeAlert(facts, { addresses, version: 3, now: clock.now() }));
  }
  return events;
}

interface CheckInProject {
  readonly check: Check;
  readonly channelIds: readonly string[];
  readonly projectName: string;
}

async function loadChecks(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, CheckInProject>> {
  const checks = await listChecksById(tx, ids);
  const loaded = new Map<number, CheckInProject>();
  for (const projectId of new Set(checks.map((check) => check.projectId))) {
    const { name: projectName } = await getProject(tx, projectId);
    const own = checks.filter((check) => check.projectId === projectId);
    const assigned = await listAssignedUuids(
      tx,
      projectId,
      own.map(({ id }) => id),
    );
    for (const check of own)
      loaded.set(check.id, { check, projectName, channelIds: assigned.get(check.id) ?? [] });
  }
  return loaded;
}

function idsOf(ids: readonly (number | null)[]): number[] {
  return [...new Set(ids.flatMap((id) => id ?? []))];
}
