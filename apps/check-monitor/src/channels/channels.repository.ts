import { column, defineTable, insertMany, querySql, type Tx } from '@certloop/db';
import type { Micros } from '../instants.js';

/** Where a flip is told, by kind; the addresses may carry secrets. */
export type ChannelSettings = { readonly url: string };

/** An integration of a project. */
export interface Channel {
  readonly id: number;
  readonly uuid: string;
  readonly projectId: string;
  readonly kind: string;
  readonly name: string;
  readonly settings: ChannelSettings;
  readonly createdAt: Micros;
}

/** Which channels are told of which check. */
export interface CheckChannel {
  readonly checkId: number;
  readonly channelId: number;
}

export const channels = defineTable<Channel>('channels', {
  columns: {
    id: column.key(),
    uuid: column.uuid(),
    projectId: column.uuid(),
    kind: column.word(20),
    name: column.word(100),
    settings: column.json<ChannelSettings>(),
    createdAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['uuid'], unique: true }, { columns: ['projectId', 'id'] }],
  references: [{ columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' }],
});

export const checkChannels = defineTable<CheckChannel>('check_channels', {
  columns: {
    checkId: column.bigint().primary(),
    channelId: column.bigint().primary(),
  },
  indexes: [{ columns: ['channelId'] }],
  references: [
    { columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' },
    { columns: ['channelId'], table: 'channels', onDelete: 'CASCADE' },
  ],
});

/** Channels of a project in the order of their making. */
export async function listProjectChannels(tx: Tx, projectId: string): Promise<Channel[]> {
  return tx.find(channels, { where: { projectId }, order: { id: 'ASC' } });
}

export async function insertChannel(tx: Tx, channel: Omit<Channel, 'id'>): Promise<void> {
  await insertMany(tx, channels, [channel]);
}

/** Channels that are told of a check. */
export async function listCheckChannels(tx: Tx, checkId: number): Promise<Channel[]> {
  const text = `select c.* from check_channels x join channels c on c.id = x.channel_id
    where x.check_id = $1 order by c.id`;
  return querySql(tx, channels.columns, text, [checkId]);
}

/** Uuids of the channels of each check of a project; checks without channels are absent. */
export async function listAssignedUuids(tx: Tx, projectId: string): Promise<Map<number, string[]>> {
  const columns = { checkId: column.bigint(), uuid: column.uuid() };
  const text = `select x.check_id, c.uuid from channels c join check_channels x on x.channel_id = c.id
    where c.project_id = $1`;
  const byCheck = new Map<number, string[]>();
  for (const { checkId, uuid } of await querySql(tx, columns, text, [projectId])) {
    byCheck.set(checkId, [...(byCheck.get(checkId) ?? []), uuid]);
  }
  return byCheck;
}

/** Makes these the only channels of the check. */
export async function assignChannels(
  tx: Tx,
  checkId: number,
  assigned: readonly Pick<Channel, 'id'>[],
): Promise<void> {
  await tx.delete(checkChannels, { checkId });
  await insertMany(
    tx,
    checkChannels,
    assigned.map(({ id }) => ({ checkId, channelId: id })),
  );
}
