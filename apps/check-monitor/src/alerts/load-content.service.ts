import { column, querySql, type Tx } from '@certloop/db';
import { findChannelById } from '../channels/channels.repository.js';
import { labelOf } from '../integrations/channel-kinds.js';
import type { AlertStatus } from '../integrations/messages/alert-event.js';
import type { Notice } from '../integrations/messages/notice.js';
import { findOwnerAddress } from '../notifications/channel-outcome.repository.js';
import type { Content } from '../notifications/notifier.service.js';
import { getProject } from '../projects/projects.repository.js';
import type { QueuedParcel } from './claim-turns.repository.js';
import { type LoadAlertDeps, loadAlert } from './load-alert.service.js';
import { brokenChannelNotice, type DigestedChange, digestNotice } from './notices.js';
import { leadOf } from './parcels.js';

/** Content of a parcel; `owner` is the mail address of the project's owner, if the mail goes to the owner. */
export type ParcelContent = Content | { readonly owner: string; readonly notice: Notice };

/** Current content of a parcel; undefined if its check or channel was deleted. */
export async function loadContent(
  deps: LoadAlertDeps,
  tx: Tx,
  parcel: QueuedParcel,
): Promise<ParcelContent | undefined> {
  if (parcel.kind === 'notice') return loadNotice(tx, parcel);
  if (parcel.kind === 'digest') return loadDigest(tx, parcel);
  const event = await loadAlert(deps, tx, parcel);
  return event && { event };
}

async function loadDigest(tx: Tx, parcel: QueuedParcel): Promise<Content | undefined> {
  const { turnId, deliveryId } = leadOf(parcel);
  const text = `select n.check_id, c.name, c.slug, c.kind, c.tz, n.status, f.at from notifications n
    join checks c on c.id = n.check_id join flips f on f.id = n.flip_id where n.turn_id = $1 order by n.id`;
  const rows = await querySql(tx, digestColumns, text, [turnId]);
  if (rows.length === 0) return undefined;
  const changes = rows.map(
    ({ kind, tz, ...row }): DigestedChange => ({ ...row, tz: kind === 'simple' ? 'UTC' : tz }),
  );
  return { notice: digestNotice(changes), deliveryId };
}

const digestColumns = {
  checkId: column.bigint(),
  name: column.word(100),
  slug: column.word(100),
  kind: column.word(10),
  tz: column.word(36),
  status: column.word<AlertStatus>(6),
  at: column.preciseInstant(),
};

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
