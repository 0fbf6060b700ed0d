import { column, defineTable, insertMany, querySql, type Tx, updateRows } from '@certloop/db';
import type { Micros } from '../instants.js';

/** An integration of a project. */
export interface Channel {
  readonly id: number;
  readonly uuid: string;
  readonly projectId: string;
  readonly kind: string;
  readonly name: string;
  /** By kind; they may hold secrets. */
  readonly settings: object;
  readonly createdAt: Micros;
  /** When the holder of the address agreed to be told; only mail addresses need that. */
  readonly verifiedAt: Micros | null;
  /** Since when nothing is told any more, as nothing can arrive. */
  readonly disabledAt: Micros | null;
  /** Why the latest message did not arrive; null when it did. */
  readonly lastError: string | null;
  readonly lastNotifiedAt: Micros | null;
  /** How long the latest message took. */
  readonly lastDurationMs: number | null;
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
    settings: column.json<object>(),
    createdAt: column.preciseInstant(),
    verifiedAt: column.preciseInstant().nullable(),
    disabledAt: column.preciseInstant().nullable(),
    lastError: column.text().nullable(),
    lastNotifiedAt: column.preciseInstant().nullable(),
    lastDurationMs: column.integer().nullable(),
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

/** A channel that nothing was told yet. */
export type NewChannelRow = Pick<
  Channel,
  'uuid' | 'projectId' | 'kind' | 'name' | 'settings' | 'createdAt' | 'verifiedAt'
>;

export async function insertChannel(tx: Tx, channel: NewChannelRow): Promise<void> {
  const untold = { disabledAt: null, lastError: null, lastNotifiedAt: null, lastDurationMs: null };
  await insertMany(tx, channels, [{ ...channel, ...untold }]);
}

export async function findChannelById(tx: Tx, id: number): Promise<Channel | undefined> {
  return (await tx.findOneBy(channels, { id })) ?? undefined;
}

export async function findChannel(tx: Tx, uuid: string): Promise<Channel | undefined> {
  return (await tx.findOneBy(channels, { uuid })) ?? undefined;
}

export async function updateChannel(
  tx: Tx,
  id: number,
  changes: Partial<Omit<Channel, 'id' | 'uuid' | 'projectId' | 'kind'>>,
): Promise<void> {
  await updateRows<Channel>(tx, channels, { id }, changes);
}

export async function deleteChannel(tx: Tx, id: number): Promise<void> {
  await tx.delete(channels, { id });
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
