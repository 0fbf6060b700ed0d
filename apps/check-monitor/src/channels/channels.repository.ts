import {
  column,
  defineTable,
  findRow,
  insertMany,
  lockForChange,
  lockForShare,
  placeholders,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
  yieldBetween,
} from '@certloop/db';
import { SecretUnreadable } from '@certloop/server';
import { In } from 'typeorm';
import { openJson, type StoredJson, sealJson } from '../projects/sealing/sealing.store.js';

export const channels = defineTable('channels', {
  columns: {
    id: column.key(),
    uuid: column.uuid(),
    projectId: column.uuid(),
    kind: column.word(20),
    name: column.word(100),
    settings: column.json<StoredJson>(),
    createdAt: column.preciseInstant(),
    /** When the holder of the address agreed to be notified; only mail addresses need that. */
    verifiedAt: column.preciseInstant().nullable(),
    /** Since when the channel is switched off, as nothing can arrive. */
    disabledAt: column.preciseInstant().nullable(),
    /** Why the latest message did not arrive; null when it did. */
    lastError: column.text().nullable(),
    lastNotifiedAt: column.preciseInstant().nullable(),
    /** When a message or a test last arrived, sent with the settings that it has; null when none has. */
    lastDeliveredAt: column.preciseInstant().nullable(),
    /** How long the latest message took. */
    lastDurationMs: column.integer().nullable(),
    /** Until when nothing is sent, as the target takes no more or does not answer. */
    heldUntil: column.preciseInstant().nullable(),
    /** Calls in a row that timed out; null and 0 are none. */
    timeouts: column.integer().nullable(),
    /** Since when no message has arrived, of those that were tried; null while they arrive. */
    failingSince: column.preciseInstant().nullable(),
    /** When its owner was notified that it is switched off, or failing for a day; null while it is neither. */
    noticedAt: column.preciseInstant().nullable(),
    /** Beginning of the minute in which `minuteCount` messages were taken for it. */
    minuteAt: column.preciseInstant().nullable(),
    minuteCount: column.integer().nullable(),
  },
  indexes: [{ columns: ['uuid'], unique: true }, { columns: ['projectId', 'id'] }],
  references: [{ columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' }],
});

/** A channel as it is stored, with settings that may be encrypted. */
export type StoredChannel = RowOf<typeof channels>;

/** An integration of a project. */
export type Channel = Omit<StoredChannel, 'settings'> & {
  /** By kind; they may hold secrets. */
  readonly settings: object;
};

/** The channel with its settings in clear. Throws SecretUnreadable. */
export function decryptChannel<Row extends Pick<StoredChannel, 'uuid' | 'settings'>>(
  tx: Tx,
  row: Row,
): Omit<Row, 'settings'> & Pick<Channel, 'settings'> {
  return { ...row, settings: openJson(tx, settingsPlace(row.uuid), row.settings) };
}

/** In the place of settings that no key of this process decrypts; no kind accepts them. */
const unreadableSettings: object = Object.freeze({});

/** Whether this process could not decrypt the settings of a channel; one with other keys may. */
export function isUnreadable({ settings }: Pick<Channel, 'settings'>): boolean {
  return settings === unreadableSettings;
}

/**
 * The channel as `decryptChannel` returns it, or one that `isUnreadable` if no key decrypts its settings: its messages then
 * wait, and those of all other channels are delivered.
 */
export function readChannel<Row extends Pick<StoredChannel, 'uuid' | 'settings'>>(
  tx: Tx,
  row: Row,
): ReturnType<typeof decryptChannel<Row>> {
  try {
    return decryptChannel(tx, row);
  } catch (error) {
    if (error instanceof SecretUnreadable) return { ...row, settings: unreadableSettings };
    throw error;
  }
}

/** Settings of the channel with that uuid as they are stored. */
export function sealSettings(tx: Tx, uuid: string, settings: object): StoredJson {
  return sealJson(tx, settingsPlace(uuid), settings);
}

function settingsPlace(uuid: string) {
  return { table: 'channels', column: 'settings', rowId: uuid };
}

/** Channels of a project in the order of their making. */
export async function listProjectChannels(tx: Tx, projectId: string): Promise<Channel[]> {
  const found = await tx.find(channels, { where: { projectId }, order: { id: 'ASC' } });
  return found.map((row) => readChannel(tx, row));
}

/** Channels of several projects, each project's in the order of their making. */
export async function listChannelsOfProjects(
  tx: Tx,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, Channel[]>> {
  const stored = await tx.find(channels, {
    where: { projectId: In([...projectIds]) },
    order: { projectId: 'ASC', id: 'ASC' },
  });
  const byProject = new Map<string, Channel[]>();
  for await (const row of yieldBetween(stored)) {
    const found = byProject.get(row.projectId);
    if (found === undefined) byProject.set(row.projectId, [readChannel(tx, row)]);
    else found.push(readChannel(tx, row));
  }
  return byProject;
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
  return (await lockForShare(tx, channels, { projectId })).map((row) => readChannel(tx, row));
}

/** Health of a channel that is new, or that was given new settings. */
export const wellHealth = { heldUntil: null, timeouts: null, failingSince: null, noticedAt: null } as const;

/** State of a channel before its first message. */
export const unusedChannel = {
  disabledAt: null,
  lastError: null,
  lastNotifiedAt: null,
  lastDeliveredAt: null,
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

export async function insertChannel(tx: Tx, channel: NewChannelRow & Partial<Channel>): Promise<void> {
  const settings = sealSettings(tx, channel.uuid, channel.settings);
  await insertMany(tx, channels, [{ ...unusedChannel, ...channel, settings }]);
}

export async function findChannelById(tx: Tx, id: number): Promise<Channel | undefined> {
  const found = await tx.findOneBy(channels, { id });
  return found === null ? undefined : readChannel(tx, found);
}

/** The channel, held until the transaction ends. */
export async function lockChannel(tx: Tx, id: number): Promise<Channel | undefined> {
  const [held] = await lockForChange(tx, channels, { id });
  return held && readChannel(tx, held);
}

/** Channels by their uuids, in the order of their making. */
export async function listChannelsByUuid(tx: Tx, uuids: readonly string[]): Promise<Channel[]> {
  if (uuids.length === 0) return [];
  const found = await tx.find(channels, { where: { uuid: In(uuids) }, order: { id: 'ASC' } });
  return found.map((row) => readChannel(tx, row));
}

export async function findChannel(tx: Tx, uuid: string): Promise<Channel | undefined> {
  const found = await tx.findOneBy(channels, { uuid });
  return found === null ? undefined : readChannel(tx, found);
}

export async function updateChannel(
  tx: Tx,
  id: number,
  { settings, ...changes }: Partial<Omit<Channel, 'id' | 'uuid' | 'projectId' | 'kind'>>,
): Promise<void> {
  // what is encrypted opens only in the channel that it was encrypted for
  const row = settings && (await findRow(tx, channels, { id }));
  const stored = settings && row && { settings: sealSettings(tx, row.uuid, settings) };
  await updateRows<StoredChannel>(tx, channels, { id }, { ...changes, ...stored });
}

export async function deleteChannel(tx: Tx, id: number): Promise<void> {
  await tx.delete(channels, { id });
}
