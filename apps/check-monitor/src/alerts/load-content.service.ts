import { type Database, DatabaseUnavailable, type Tx } from '@certloop/db';
import { findChannelById } from '../channels/channels.repository.js';
import { labelOf } from '../integrations/channel-kinds.js';
import type { Notice } from '../integrations/messages/notice.js';
import { findOwnerAddress } from '../notifications/channel-outcome.repository.js';
import type { Content } from '../notifications/delivery.service.js';
import { getProject } from '../projects/projects.repository.js';
import { leadOf } from './batches.js';
import {
  countFurtherChanges,
  type FurtherChanges,
  listDigestedChanges,
} from './digested-changes.repository.js';
import { type LoadAlertDeps, loadAlerts } from './load-alerts.service.js';
import { brokenChannelNotice, digestNotice } from './notices.js';
import type { QueuedBatch } from './turn-rows.repository.js';

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
