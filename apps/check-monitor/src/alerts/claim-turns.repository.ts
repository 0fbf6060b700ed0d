import { capabilitiesOf, column, executeSql, placeholders, querySql, type Tx } from '@certloop/db';
import { type Channel, channels, updateChannel } from '../channels/channels.repository.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { isForPeople } from '../integrations/channel-kinds.js';
import { type Notification, notifications } from '../notifications/notifications.repository.js';
import { goesAlone, maxPause, pauseAfterCrash } from './ladder.js';
import { allowanceOf, type Parcel, packRows } from './parcels.js';

/** Messages that are sent by one call. */
export type QueuedParcel = Parcel<Notification>;

/** Messages to one channel that one worker delivers one after another. */
export interface DeliveryTurn {
  readonly id: string;
  readonly channel: Channel;
  readonly parcels: readonly QueuedParcel[];
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
const maxParcels = 10;
const maxDigest = 500;
const minute: Micros = 60 * microsPerSecond;

/**
 * Claims turns, first for the channels with the fewest running turns. A channel has at most two turns in all processes
 * together, and one after its target timed out. Each message goes to exactly one worker.
 */
export async function claimTurns(tx: Tx, claim: TurnClaim): Promise<DeliveryTurn[]> {
  await releaseTurnsOfDeadWorkers(tx, claim);
  const turns: DeliveryTurn[] = [];
  for (const notice of await listOwnerNotices(tx, claim)) {
    const turn = await takeOwnerNotice(tx, notice, claim);
    if (turn !== undefined) turns.push(turn);
  }
  if (turns.length >= claim.limit) return turns;
  for (const id of await listWaitingChannels(tx, claim, claim.limit - turns.length)) {
    const turn = await takeTurn(tx, id, claim);
    if (turn !== undefined) turns.push(turn);
    if (turn?.isAlone === true) return turns;
  }
  return turns;
}

/** Counts a crash for each message whose worker went silent, and queues it again after a pause. */
async function releaseTurnsOfDeadWorkers(tx: Tx, { now, lease, ownTurns }: TurnClaim): Promise<void> {
  // a lease far in the future was written by a process with a wrong clock
  const text = `select * from notifications
    where turn_id is not null and (lease_until <= $1 or lease_until > $2) and settled_at is null`;
  const lapsed = await querySql(tx, notifications.columns, text, [now, now + 10 * lease]);
  for (const { id, turnId, crashes, leaseUntil, dueAt } of lapsed) {
    if (turnId === null || ownTurns.has(turnId)) continue;
    const died = Math.min(leaseUntil ?? now, now) - lease;
    const count = (crashes ?? 0) + 1;
    const due = Math.max(dueAt ?? 0, died + pauseAfterCrash(count));
    const update = `update notifications set turn_id = null, lease_until = null, crashes = $1, due_at = $2
      where id = $3 and turn_id = $4 and lease_until = $5`;
    await executeSql(tx, update, [count, due, id, turnId, leaseUntil]);
  }
}

const isDue = '(n.due_at is null or n.due_at <= $1 or n.due_at > $2)';
const isFree = `n.settled_at is null and n.turn_id is null and ${isDue}`;
// messages about one check reach a channel in their order: the later ones wait for an open one
const isHead = `not exists (select 1 from notifications e where e.settled_at is null
  and e.channel_id = n.channel_id and e.check_id = n.check_id and e.id < n.id)`;
const isToChannel = '(n.about_channel_id is null or n.about_channel_id <> n.channel_id)';

/** A message is not due if its due time lies between these: a time beyond them comes from a wrong clock. */
function notDue({ now }: Pick<TurnClaim, 'now'>): readonly [Micros, Micros] {
  return [now, now + 2 * maxPause];
}

async function listOwnerNotices(tx: Tx, claim: TurnClaim): Promise<Notification[]> {
  const text = `select n.* from notifications n where n.about_channel_id is not null
    and n.about_channel_id = n.channel_id and ${isFree} order by n.id limit 1 ${lock(tx, 'n')}`;
  return querySql(tx, notifications.columns, text, notDue(claim));
}

async function takeOwnerNotice(
  tx: Tx,
  notice: Notification,
  claim: TurnClaim,
): Promise<DeliveryTurn | undefined> {
  const text = 'select * from channels where id = $1';
  const [channel] = await querySql(tx, channels.columns, text, [notice.channelId]);
  return channel && takeRows(tx, channel, [notice], false, claim);
}

const inHand =
  'select count(distinct turn_id) from notifications where turn_id is not null and channel_id = c.id';
const maxInHand = 'case when coalesce(c.timeouts, 0) > 0 then 1 else 2 end';
const mayBegin = `(c.held_until is null or c.held_until <= $1 or c.held_until > $2)
  and (${inHand}) < ${maxInHand}`;

/** Channels that wait for a turn. The recursion visits each channel in the queue once, however long the queue is. */
async function listWaitingChannels(tx: Tx, claim: TurnClaim, limit: number): Promise<number[]> {
  const head = `select n.id from notifications n where n.channel_id = c.id and ${isFree} and ${isToChannel}
    and ${isHead} order by n.id limit 1`;
  const text = `with recursive queued(id) as (
      select min(channel_id) from notifications where settled_at is null
      union all
      select (select min(channel_id) from notifications where settled_at is null and channel_id > queued.id)
        from queued where queued.id is not null)
    select id from (
      select c.id, c.timeouts, (${inHand}) as in_hand, (${head}) as head
      from queued join channels c on c.id = queued.id where ${mayBegin}) w
    where head is not null
    order by in_hand, case when coalesce(timeouts, 0) > 0 then 1 else 0 end, head limit ${limit}`;
  const rows = await querySql(tx, { id: column.bigint() }, text, notDue(claim));
  return rows.map(({ id }) => id);
}

async function takeTurn(tx: Tx, channelId: number, claim: TurnClaim): Promise<DeliveryTurn | undefined> {
  const channel = await lockWaiting(tx, channelId, claim);
  if (channel === undefined) return undefined;
  const isRead = isForPeople(channel.kind);
  const allowance = allowanceOf(channel, isRead ? claim.digestPerMinute : 0, claim.now);
  const usual = Math.min(maxParcels, allowance.left, isProbing(channel) ? 1 : maxParcels);
  const isLimited = isRead && claim.digestPerMinute > 0;
  const found = await listHeads(tx, channelId, isLimited ? maxDigest : usual, claim);
  const isDigest = allowance.left === 0 || (isLimited && isBacklog(found, claim));
  // a digest waits until the messages before it are delivered
  if (isDigest && (await countInHand(tx, channelId)) > 0) return undefined;
  const heads = alone(isDigest ? found : found.slice(0, usual));
  if (heads.length === 0) return undefined;
  const rows = isRead ? [...heads, ...(await listFollowers(tx, channelId, heads))] : heads;
  if (isRead) {
    await updateChannel(tx, channelId, {
      minuteAt: allowance.minuteAt,
      minuteCount: allowance.minuteCount + (isDigest ? 1 : heads.length),
      // messages after a digest wait for the next digest
      ...(isDigest ? { heldUntil: allowance.endsAt } : {}),
    });
  }
  return takeRows(tx, channel, rows, isDigest, claim);
}

async function countInHand(tx: Tx, channelId: number): Promise<number> {
  const text = `select (${inHand}) as count from channels c where c.id = $1`;
  const [row] = await querySql(tx, { count: column.bigint() }, text, [channelId]);
  return row?.count ?? 0;
}

/** Whether more messages than a minute allows have waited for over a minute, such as for a limit of the target. */
function isBacklog(heads: readonly Notification[], { now, digestPerMinute }: TurnClaim): boolean {
  const [oldest] = heads;
  return oldest !== undefined && heads.length > digestPerMinute && oldest.createdAt <= now - minute;
}

/** Whether the target timed out before: it gets a single message first. */
function isProbing({ timeouts }: Channel): boolean {
  return (timeouts ?? 0) > 0;
}

/** The channel, locked, if no other process has locked it and it still waits. */
async function lockWaiting(tx: Tx, id: number, claim: TurnClaim): Promise<Channel | undefined> {
  if (capabilitiesOf(tx).hasConcurrentWriters) {
    const locked = 'select id from channels where id = $1 for update skip locked';
    if ((await querySql(tx, { id: column.bigint() }, locked, [id])).length === 0) return undefined;
  }
  const text = `select c.* from channels c where c.id = $3 and ${mayBegin}`;
  const [channel] = await querySql(tx, channels.columns, text, [...notDue(claim), id]);
  return channel;
}

async function listHeads(
  tx: Tx,
  channelId: number,
  limit: number,
  claim: TurnClaim,
): Promise<Notification[]> {
  const text = `select n.* from notifications n where n.channel_id = $3 and ${isFree} and ${isToChannel}
    and ${isHead} order by n.id limit ${limit} ${lock(tx, 'n')}`;
  return querySql(tx, notifications.columns, text, [...notDue(claim), channelId]);
}

/** Later messages about the checks of the heads: people get them together. */
async function listFollowers(
  tx: Tx,
  channelId: number,
  heads: readonly Notification[],
): Promise<Notification[]> {
  const checkIds = heads.flatMap(({ checkId }) => checkId ?? []);
  if (checkIds.length === 0) return [];
  const text = `select n.* from notifications n where n.channel_id = $1 and n.settled_at is null
    and n.turn_id is null and n.check_id in (${placeholders(checkIds.length, 2)}) order by n.id ${lock(tx, 'n')}`;
  const found = await querySql(tx, notifications.columns, text, [channelId, ...checkIds]);
  const known = new Set(heads.map(({ id }) => id));
  return found.filter(({ id }) => !known.has(id));
}

/** A message that may have crashed its worker is delivered alone, and the others without it. */
function alone(heads: readonly Notification[]): readonly Notification[] {
  const [first] = heads;
  if (first !== undefined && goesAlone(first.crashes ?? 0)) return [first];
  return heads.filter(({ crashes }) => !goesAlone(crashes ?? 0));
}

async function takeRows(
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
  return { id, channel, parcels: packRows(taken, isDigest), isAlone };
}

function lock(tx: Tx, alias: string): string {
  // SQLite has one writer at a time anyway
  return capabilitiesOf(tx).hasConcurrentWriters ? `for update of ${alias} skip locked` : '';
}
