import {
  column,
  defineTable,
  inDialect,
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

/** Which channels are assigned to which check. */
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

/** What is known of a channel before its first message. */
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

/** Channels that are assigned to a check. */
export async function listCheckChannels(tx: Tx, checkId: number): Promise<Channel[]> {
  const text = `select c.* from check_channels x join channels c on c.id = x.channel_id
    where x.check_id = $1 order by c.id`;
  return querySql(tx, channels.columns, text, [checkId]);
}

/** Channels that are assigned to each of several checks; checks without channels are absent. */
export async function listChannelsByCheck(
  tx: Tx,
  checkIds: readonly number[],
): Promise<Map<number, Channel[]>> {
  const byCheck = new Map<number, Channel[]>();
  if (checkIds.length === 0) return byCheck;
  const places = checkIds.map((_, index) => `$${index + 1}`).join(', ');
  const text = `select x.check_id, c.* from check_channels x join channels c on c.id = x.channel_id
    where x.check_id in (${places}) order by c.id`;
  const columns = { ...channels.columns, checkId: column.bigint() };
  for (const row of await querySql<Channel & CheckChannelKey>(tx, columns, text, checkIds)) {
    const assigned = byCheck.get(row.checkId);
    if (assigned === undefined) byCheck.set(row.checkId, [row]);
    else assigned.push(row);
  }
  return byCheck;
}

type CheckChannelKey = Pick<CheckChannel, 'checkId'>;

/**
 * Uuids of the channels of each check of a project, or of those with the ids `checkIds`, in any order; checks without
 * channels are absent.
 */
export async function listAssignedUuids(
  tx: Tx,
  projectId: string,
  checkIds?: readonly number[],
): Promise<Map<number, readonly string[]>> {
  if (checkIds?.length === 0) return new Map();
  const uuids = new Map((await listProjectChannels(tx, projectId)).map(({ id, uuid }) => [String(id), uuid]));
  // by check, as thousands of checks with several channels each would make a great many rows
  const ids = inDialect(tx, {
    sqlite: 'group_concat(channel_id)',
    postgres: "string_agg(cast(channel_id as text), ',')",
  });
  const named = checkIds === undefined ? '' : `and check_id in (${placeholders(checkIds.length, 2)})`;
  const text = `select check_id, ${ids} as channel_ids from check_channels
    where channel_id in (select id from channels where project_id = $1) ${named} group by check_id`;
  const columns = { checkId: column.bigint(), channelIds: column.text() };
  const rows = await querySql(tx, columns, text, [projectId, ...(checkIds ?? [])]);
  const uuidsOf = memoised((list: string) => list.split(',').flatMap((id) => uuids.get(id) ?? []));
  return new Map(rows.map(({ checkId, channelIds }) => [checkId, uuidsOf(channelIds)]));
}

/** Most checks of a project have the same channels. */
function memoised<Value>(make: (text: string) => Value): (text: string) => Value {
  const made = new Map<string, Value>();
  return (text) => {
    const value = made.get(text) ?? make(text);
    made.set(text, value);
    return value;
  };
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
