import {
  column,
  defineTable,
  insertMany,
  lockForShare,
  lockForUpdate,
  placeholders,
  querySql,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
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
  /** When the holder of the address agreed to be notified; only mail addresses need that. */
  readonly verifiedAt: Micros | null;
  /** Since when the channel is switched off, as nothing can arrive. */
  readonly disabledAt: Micros | null;
  /** Why the latest message did not arrive; null when it did. */
  readonly lastError: string | null;
  readonly lastNotifiedAt: Micros | null;
  /** How long the latest message took. */
  readonly lastDurationMs: number | null;
  /** Until when nothing is sent, as the target takes no more or does not answer. */
  readonly heldUntil: Micros | null;
  /** Calls in a row that timed out; null and 0 are none. */
  readonly timeouts: number | null;
  /** Since when no message has arrived, of those that were tried; null while they arrive. */
  readonly failingSince: Micros | null;
  /** When its owner was notified that it is switched off, or failing for a day; null while it is neither. */
  readonly noticedAt: Micros | null;
  /** Beginning of the minute in which `minuteCount` messages were taken for it. */
  readonly minuteAt: Micros | null;
  readonly minuteCount: number | null;
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
    heldUntil: column.preciseInstant().nullable(),
    timeouts: column.integer().nullable(),
    failingSince: column.preciseInstant().nullable(),
    noticedAt: column.preciseInstant().nullable(),
    minuteAt: column.preciseInstant().nullable(),
    minuteCount: column.integer().nullable(),
  },
  indexes: [{ columns: ['uuid'], unique: true }, { columns: ['projectId', 'id'] }],
  references: [{ columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' }],
});

/** Channels of a project in the order of their making. */
export async function listProjectChannels(tx: Tx, projectId: string): Promise<Channel[]> {
  return tx.find(channels, { where: { projectId }, order: { id: 'ASC' } });
}

/** Number of channels of each project that has any, and of those that fail or are switched off. */
export async function countProjectChannels(
  tx: Tx,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly all: number; readonly failing: number }>> {
  if (projectIds.length === 0) return new Map();
  const columns = { projectId: channels.columns.projectId, all: column.bigint(), failing: column.bigint() };
  const text = `select project_id, count(*) as "all",
      sum(case when failing_since is null and disabled_at is null then 0 else 1 end) as failing
    from channels where project_id in (${placeholders(projectIds.length, 1)}) group by project_id`;
  const rows = await querySql(tx, columns, text, projectIds);
  return new Map(rows.map(({ projectId, all, failing }) => [projectId, { all, failing }]));
}

/** The same, locked against deletion until the transaction ends. */
export async function lockProjectChannelsForShare(tx: Tx, projectId: string): Promise<Channel[]> {
  return lockForShare(tx, channels, { projectId });
}

/** Health of a channel that is new, or that was given new settings. */
export const wellHealth = { heldUntil: null, timeouts: null, failingSince: null, noticedAt: null } as const;

/** What is known about a channel before its first message. */
export const unusedChannel = {
  disabledAt: null,
  lastError: null,
  lastNotifiedAt: null,
  lastDurationMs: null,
  ...wellHealth,
  minuteAt: null,
  minuteCount: null,
} as const;

/** A channel that no message was sent to yet. */
export type NewChannelRow = Pick<
  Channel,
  'uuid' | 'projectId' | 'kind' | 'name' | 'settings' | 'createdAt' | 'verifiedAt'
>;

export async function insertChannel(tx: Tx, channel: NewChannelRow): Promise<void> {
  await insertMany(tx, channels, [{ ...unusedChannel, ...channel }]);
}

export async function findChannelById(tx: Tx, id: number): Promise<Channel | undefined> {
  return (await tx.findOneBy(channels, { id })) ?? undefined;
}

/** The channel, held until the transaction ends. */
export async function lockChannel(tx: Tx, id: number): Promise<Channel | undefined> {
  const [held] = await lockForUpdate(tx, channels, { id });
  return held;
}

/** Channels by their uuids, in the order of their making. */
export async function listChannelsByUuid(tx: Tx, uuids: readonly string[]): Promise<Channel[]> {
  return uuids.length === 0 ? [] : tx.find(channels, { where: { uuid: In(uuids) }, order: { id: 'ASC' } });
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
