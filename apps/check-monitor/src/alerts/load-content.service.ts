import { type Database, DatabaseUnavailable, type Tx } from '@certloop/db';
import { findChannelById } from '../channels/channels.repository.js';
import { listAssignedUuids } from '../channels/check-channels.repository.js';
import type { Check } from '../checks/check.js';
import type { Addresses } from '../checks/check-view.js';
import { listChecksById } from '../checks/rows/checks.repository.js';
import { listEarlierFlips, listFlipsById } from '../flips/flips.repository.js';
import type { Clock } from '../instants.js';
import { labelOf } from '../integrations/channel-kinds.js';
import type { AlertEvent } from '../integrations/messages/alert-event.js';
import type { Notice } from '../integrations/messages/notice.js';
import { readStoredEvent } from '../integrations/messages/stored-event.js';
import { findOwnerAddress } from '../notifications/channel-outcome.repository.js';
import type { Content } from '../notifications/delivery.service.js';
import { listPingsUpTo } from '../pings/pings.repository.js';
import { getProject } from '../projects/projects.repository.js';
import { describeAlert } from './alert.js';
import { leadOf } from './batches.js';
import {
  countFurtherChanges,
  type FurtherChanges,
  listDigestedChanges,
} from './digested-changes.repository.js';
import { brokenChannelNotice, digestNotice } from './notices.js';
import type { SummariseOthers } from './other-checks.repository.js';
import type { QueuedBatch } from './turn-rows.repository.js';

interface LoadAlertDeps {
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly summariseOthers: SummariseOthers;
}

/**
 * The events of batches, each of which concerns one check; a batch whose check was deleted has none. In few statements
 * for all of them, as thousands of checks may go down at the same time.
 */
async function loadAlerts(
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

/**
 * Content of a batch; `owner` is the mail address of the project's owner, if the mail goes to the owner. A digest
 * carries `further` messages too.
 */
export type BatchContent =
  | (Content & { readonly further?: FurtherChanges })
  | { readonly owner: string; readonly notice: Notice };

export interface LoadContentDeps extends LoadAlertDeps {
  readonly db: Database;
}

/** Content of one of the batches; undefined if its check or channel was deleted. */
export type LoadContent = (batch: QueuedBatch) => Promise<BatchContent | undefined>;

/** Reads what the batches of a turn say, each when it is to be sent, but for the alerts: all of them with the first one. */
export function createContentLoader(deps: LoadContentDeps, batches: readonly QueuedBatch[]): LoadContent {
  const { db } = deps;
  const load = (some: readonly QueuedBatch[]) => db.read((tx) => loadAlerts(deps, tx, some));
  let together: ReturnType<typeof loadAlerts> | undefined;
  const loadEvents = async (batch: QueuedBatch) => {
    together ??= load(batches.filter(({ kind }) => kind === 'alert'));
    try {
      return await together;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      // one alert that cannot be built must not stop the others
      return load([batch]);
    }
  };
  return async (batch) => {
    if (batch.kind === 'notice') return db.read((tx) => loadNotice(tx, batch));
    // a digest counts all that waits for the channel
    if (batch.kind === 'digest') return db.longRead((tx) => loadDigest(deps, tx, batch));
    const event = (await loadEvents(batch)).get(batch);
    return event && { event };
  };
}

async function loadDigest(
  { clock }: LoadAlertDeps,
  tx: Tx,
  batch: QueuedBatch,
): Promise<BatchContent | undefined> {
  const { turnId, deliveryId, channelId } = leadOf(batch);
  const changes = await listDigestedChanges(tx, turnId);
  if (changes.length === 0) return undefined;
  const further = await countFurtherChanges(tx, channelId, clock.now());
  return { notice: digestNotice(changes, further), deliveryId, further };
}

async function loadNotice(tx: Tx, batch: QueuedBatch): Promise<BatchContent | undefined> {
  const { aboutChannelId, channelId, deliveryId } = leadOf(batch);
  const channel = aboutChannelId === null ? undefined : await findChannelById(tx, aboutChannelId);
  if (channel === undefined) return undefined;
  const notice = brokenChannelNotice({
    ...channel,
    label: labelOf(channel.kind),
    projectName: (await getProject(tx, channel.projectId)).name,
  });
  if (channelId !== aboutChannelId) return { notice, deliveryId };
  const owner = await findOwnerAddress(tx, channel.projectId);
  return owner === undefined ? undefined : { owner, notice };
}
