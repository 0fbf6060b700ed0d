import { column, querySql, type Tx } from '@certloop/db';
import type { Micros } from '../instants.js';
import { type Notification, notifications } from './notifications.repository.js';

/** Log of a channel, the newest first. */
export async function listNotifications(tx: Tx, channelId: number, limit: number): Promise<Notification[]> {
  return tx.find(notifications, { where: { channelId }, order: { id: 'DESC' }, take: limit });
}

const deliveryColumns = {
  id: notifications.columns.id,
  status: notifications.columns.status,
  attempt: notifications.columns.attempt,
  error: notifications.columns.error,
  createdAt: notifications.columns.createdAt,
  settledAt: notifications.columns.settledAt,
};

/** A message to a channel as its log shows it, with the name of the check, null for tests and notices. */
export type ChannelMessage = Pick<Notification, keyof typeof deliveryColumns> & {
  readonly checkName: string | null;
};

/** Log of a channel before the message with the id `before`, the newest first. */
export async function listChannelMessages(
  tx: Tx,
  channelId: number,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<ChannelMessage[]> {
  const text = `select n.id, n.status, n.attempt, n.error, n.created_at, n.settled_at, c.name as check_name
    from notifications n left join checks c on c.id = n.check_id
    where n.channel_id = $1 and n.id < $2 order by n.id desc limit $3`;
  const columns = { ...deliveryColumns, checkName: column.word(100).nullable() };
  return querySql(tx, columns, text, [channelId, before, limit]);
}

/** A message about a check, with the channel that it goes to. */
export type CheckMessage = Pick<Notification, keyof typeof deliveryColumns> & {
  readonly channelUuid: string;
  readonly channelName: string;
  readonly channelKind: string;
};

/** Messages about a check that were made between two moments, both excluded; the newest first. */
export async function listCheckMessages(
  tx: Tx,
  checkId: number,
  { after, before, limit }: { readonly after: Micros; readonly before: Micros; readonly limit: number },
): Promise<CheckMessage[]> {
  const text = `select n.id, n.status, n.attempt, n.error, n.created_at, n.settled_at,
      c.uuid as channel_uuid, c.name as channel_name, c.kind as channel_kind
    from notifications n join channels c on c.id = n.channel_id
    where n.check_id = $1 and n.created_at > $3 and n.created_at < $4 order by n.id desc limit $2`;
  const columns = {
    ...deliveryColumns,
    channelUuid: column.uuid(),
    channelName: column.word(100),
    channelKind: column.word(20),
  };
  return querySql(tx, columns, text, [checkId, limit, after, before]);
}
