import { capabilitiesOf, executeSql, placeholders, querySql, type Tx } from '@certloop/db';
import type { Channel } from '../channels/channels.repository.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { type Notification, notifications } from '../notifications/notifications.repository.js';
import { type Batch, batchRows } from './batches.js';
import { goesAlone, maxPause } from './ladder.js';

/** Messages that are sent by one call. */
export type QueuedBatch = Batch<Notification>;

/** Messages to one channel that one worker delivers one after another. */
export interface DeliveryTurn {
  readonly id: string;
  readonly channel: Channel;
  readonly batches: readonly QueuedBatch[];
  /** Whether the process delivers nothing else in the meantime. */
  readonly isAlone: boolean;
}

export interface TurnClaim {
  readonly now: Micros;
  /** How long a worker may be silent before its turns pass to others. */
  readonly lease: Micros;
  /** How many turns at most. */
  readonly limit: number;
  /** The id of a new turn. */
  readonly newTurnId: () => string;
  /** Turns that this process holds. */
  readonly ownTurns: ReadonlySet<string>;
  /** Messages a minute to a channel that people read; 0 is without limit. */
  readonly digestPerMinute: number;
}

/** Maximum calls of one turn. */
export const maxBatches = 25;

/** Messages that a digest names; it counts the others. */
export const maxDigest = 500;
export const minute: Micros = 60 * microsPerSecond;

const isDue = '(n.due_at is null or n.due_at <= $1 or n.due_at > $2)';
export const isFree = `n.settled_at is null and n.turn_id is null and ${isDue}`;

// Messages about one check reach a channel in their order: the later ones wait for an open one. The condition
// compares with the smallest id, since PostgreSQL would compare each message with each other one for "not exists".
export const isHead = `(n.check_id is null or n.id = (select min(e.id) from notifications e
  where e.settled_at is null and e.channel_id = n.channel_id and e.check_id = n.check_id))`;

export const isToChannel = '(n.about_channel_id is null or n.about_channel_id <> n.channel_id)';

/** A message is not due if its due time lies between these: a time beyond them comes from a wrong clock. */
export function notDue({ now }: Pick<TurnClaim, 'now'>): readonly [Micros, Micros] {
  return [now, now + 2 * maxPause];
}

export async function listHeads(
  tx: Tx,
  channelId: number,
  limit: number,
  claim: TurnClaim,
): Promise<Notification[]> {
  const text = `select n.* from notifications n where n.channel_id = $3 and ${isFree} and ${isToChannel}
    and ${isHead} order by n.id limit ${limit} ${skipLockedClause(tx, 'n')}`;
  return querySql(tx, notifications.columns, text, [...notDue(claim), channelId]);
}

/** Later messages about the checks of the heads: people get them together. */
export async function listFollowers(
  tx: Tx,
  channelId: number,
  heads: readonly Notification[],
): Promise<Notification[]> {
  const checkIds = heads.flatMap(({ checkId }) => checkId ?? []);
  if (checkIds.length === 0) return [];
  const text = `select n.* from notifications n where n.channel_id = $1 and n.settled_at is null
    and n.turn_id is null and n.check_id in (${placeholders(checkIds.length, 2)}) order by n.id ${skipLockedClause(tx, 'n')}`;
  const found = await querySql(tx, notifications.columns, text, [channelId, ...checkIds]);
  const known = new Set(heads.map(({ id }) => id));
  return found.filter(({ id }) => !known.has(id));
}

/** A message that may have crashed its worker is delivered alone, and the others without it. */
export function isolateCrashed(heads: readonly Notification[]): readonly Notification[] {
  const [first] = heads;
  if (first !== undefined && goesAlone(first.crashes ?? 0)) return [first];
  return heads.filter(({ crashes }) => !goesAlone(crashes ?? 0));
}

export async function takeRows(
  tx: Tx,
  channel: Channel,
  rows: readonly Notification[],
  isDigest: boolean,
  { now, lease, newTurnId }: TurnClaim,
): Promise<DeliveryTurn> {
  const id = newTurnId();
  const ids = rows.map((row) => row.id);
  const text = `update notifications set attempt = attempt + 1, turn_id = $1, lease_until = $2
    where id in (${placeholders(ids.length, 3)})`;
  await executeSql(tx, text, [id, now + lease, ...ids]);
  const taken = rows.map((row) => ({ ...row, turnId: id, attempt: row.attempt + 1 }));
  const isAlone = rows.some(({ crashes }) => goesAlone(crashes ?? 0));
  return { id, channel, batches: batchRows(taken, isDigest), isAlone };
}

export function skipLockedClause(tx: Tx, alias: string): string {
  // SQLite has one writer at a time anyway
  return capabilitiesOf(tx).hasConcurrentWriters ? `for update of ${alias} skip locked` : '';
}
