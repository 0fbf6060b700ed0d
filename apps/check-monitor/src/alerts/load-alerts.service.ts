import type { Tx } from '@certloop/db';
import { listCheckChannels } from '../channels/check-channels.repository.js';
import type { Addresses } from '../checks/check-view.js';
import { findCheckById } from '../checks/rows/checks.repository.js';
import { type FlipRow, findEarlierFlip, findFlip } from '../flips/flips.repository.js';
import type { Clock } from '../instants.js';
import type { AlertEvent } from '../integrations/messages/alert-event.js';
import { findLatestPing } from '../pings/pings.repository.js';
import { getProject } from '../projects/projects.repository.js';
import { describeAlert } from './alert.js';
import type { SummariseOthers } from './other-checks.repository.js';
import { leadOf } from './parcels.js';
import type { QueuedParcel } from './turn-rows.repository.js';

export interface LoadAlertDeps {
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly summariseOthers: SummariseOthers;
}

/** The event for the messages of a parcel, which concern one check; undefined if the check was deleted. */
export async function loadAlert(
  { addresses, clock, summariseOthers }: LoadAlertDeps,
  tx: Tx,
  parcel: QueuedParcel,
): Promise<AlertEvent | undefined> {
  const { deliveryId, checkId, flipId, status } = leadOf(parcel);
  const check = checkId === null ? undefined : await findCheckById(tx, checkId);
  const flip = flipId === null ? undefined : await findFlip(tx, flipId);
  if (check === undefined || flip === undefined) return undefined;
  const assigned = await listCheckChannels(tx, check.id);
  const facts = {
    deliveryId,
    status,
    flip,
    check,
    flips: await listFlips(tx, parcel, flip),
    earlier: await findEarlierFlip(tx, flip),
    channelIds: assigned.map(({ uuid }) => uuid),
    projectName: (await getProject(tx, check.projectId)).name,
    lastPing: await findLatestPing(tx, check.id, flip.at),
    others: await summariseOthers(tx, check),
  };
  return describeAlert(facts, { addresses, version: 3, now: clock.now() });
}

async function listFlips(tx: Tx, { rows }: QueuedParcel, latest: FlipRow): Promise<FlipRow[]> {
  const flips: FlipRow[] = [];
  for (const { flipId } of rows.slice(0, -1)) {
    const flip = flipId === null ? undefined : await findFlip(tx, flipId);
    if (flip !== undefined) flips.push(flip);
  }
  return [...flips, latest];
}
