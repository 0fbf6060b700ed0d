import { type Database, DatabaseUnavailable, type Tx } from '@certloop/db';
import { findChannelById } from '../channels/channels.repository.js';
import { labelOf } from '../integrations/channel-kinds.js';
import type { Notice } from '../integrations/messages/notice.js';
import { findOwnerAddress } from '../notifications/channel-outcome.repository.js';
import type { Content } from '../notifications/delivery.service.js';
import { getProject } from '../projects/projects.repository.js';
import {
  countFurtherChanges,
  type FurtherChanges,
  listDigestedChanges,
} from './digested-changes.repository.js';
import { type LoadAlertDeps, loadAlerts } from './load-alerts.service.js';
import { brokenChannelNotice, digestNotice } from './notices.js';
import { leadOf } from './parcels.js';
import type { QueuedParcel } from './turn-rows.repository.js';

/**
 * Content of a parcel; `owner` is the mail address of the project's owner, if the mail goes to the owner. A digest
 * carries `further` messages too.
 */
export type ParcelContent =
  | (Content & { readonly further?: FurtherChanges })
  | { readonly owner: string; readonly notice: Notice };

export interface LoadContentDeps extends LoadAlertDeps {
  readonly db: Database;
}

/** Content of one of the parcels; undefined if its check or channel was deleted. */
export type LoadContent = (parcel: QueuedParcel) => Promise<ParcelContent | undefined>;

/** Reads what the parcels of a turn say, each when it is to be sent, but for the alerts: all of them with the first one. */
export function createContentLoader(deps: LoadContentDeps, parcels: readonly QueuedParcel[]): LoadContent {
  const { db } = deps;
  const load = (some: readonly QueuedParcel[]) => db.read((tx) => loadAlerts(deps, tx, some));
  let together: ReturnType<typeof loadAlerts> | undefined;
  const loadEvents = async (parcel: QueuedParcel) => {
    together ??= load(parcels.filter(({ kind }) => kind === 'alert'));
    try {
      return await together;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      // one alert that cannot be built must not stop the others
      return load([parcel]);
    }
  };
  return async (parcel) => {
    if (parcel.kind === 'notice') return db.read((tx) => loadNotice(tx, parcel));
    // a digest counts all that waits for the channel
    if (parcel.kind === 'digest') return db.longRead((tx) => loadDigest(deps, tx, parcel));
    const event = (await loadEvents(parcel)).get(parcel);
    return event && { event };
  };
}

async function loadDigest(
  { clock }: LoadAlertDeps,
  tx: Tx,
  parcel: QueuedParcel,
): Promise<ParcelContent | undefined> {
  const { turnId, deliveryId, channelId } = leadOf(parcel);
  const changes = await listDigestedChanges(tx, turnId);
  if (changes.length === 0) return undefined;
  const further = await countFurtherChanges(tx, channelId, clock.now());
  return { notice: digestNotice(changes, further), deliveryId, further };
}

async function loadNotice(tx: Tx, parcel: QueuedParcel): Promise<ParcelContent | undefined> {
  const { aboutChannelId, channelId, deliveryId } = leadOf(parcel);
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
