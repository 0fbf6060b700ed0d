import { capabilitiesOf, column, executeSql, querySql, type Tx } from '@certloop/db';
import { type Channel, channels, readChannel, updateChannel } from '../channels/channels.repository.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { isForPeople } from '../integrations/channel-kinds.js';
import { type Notification, notifications } from '../notifications/notifications.repository.js';
import { allowanceOf } from './batches.js';
import { pauseAfterCrash } from './ladder.js';
import {
  type DeliveryTurn,
  isFree,
  isHead,
  isolateCrashed,
  isToChannel,
  listFollowers,
  listHeads,
  maxBatches,
  maxDigest,
  minute,
  notDue,
  skipLockedClause,
  type TurnClaim,
  takeRows,
} from './turn-rows.repository.js';

export interface Claimed {
  readonly turns: readonly DeliveryTurn[];
  /** Whether another claim may find more at once. */
  readonly mayHaveMore: boolean;
}

/**
 * Claims turns, first for the channels with the fewest running turns. A channel has at most two turns in all processes
 * together, and one after its target timed out. Each message goes to exactly one worker.
 */
export async function claimTurns(tx: Tx, claim: TurnClaim): Promise<Claimed> {
  await releaseTurnsOfDeadWorkers(tx, claim);
  const turns: DeliveryTurn[] = [];
  for (const notice of await listOwnerNotices(tx, claim)) {
    const turn = await takeOwnerNotice(tx, notice, claim);
    if (turn !== undefined) turns.push(turn);
  }
  const waiting = await listWaitingChannels(tx, claim, claim.limit - turns.length);
  let mayHaveMore = turns.length > 0 || waiting.length >= claim.limit;
  for (const { id, inHand } of waiting) {
    const turn = await takeTurn(tx, id, claim);
    if (turn === undefined) continue;
    turns.push(turn);
    if (inHand === 0) mayHaveMore = true;
    if (turn.isAlone) break;
  }
  return { turns, mayHaveMore: mayHaveMore && turns.length > 0 };
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

async function listOwnerNotices(tx: Tx, claim: TurnClaim): Promise<Notification[]> {
  const text = `select n.* from notifications n where n.about_channel_id is not null
    and n.about_channel_id = n.channel_id and ${isFree} order by n.id limit 1 ${skipLockedClause(tx, 'n')}`;
  return querySql(tx, notifications.columns, text, notDue(claim));
}

async function takeOwnerNotice(
  tx: Tx,
  notice: Notification,
  claim: TurnClaim,
): Promise<DeliveryTurn | undefined> {
  const text = 'select * from channels where id = $1';
  const [channel] = await querySql(tx, channels.columns, text, [notice.channelId]);
  return channel && takeRows(tx, readChannel(tx, channel), [notice], false, claim);
}

const maxInHand = 2;

// PostgreSQL reads all messages that the channel ever had where nothing limits the turns, as it expects many of them
const inHand = `select count(*) from (select distinct turn_id from notifications
  where turn_id is not null and channel_id = c.id order by turn_id limit ${maxInHand}) turns`;

const maxTurns = `case when coalesce(c.timeouts, 0) > 0 then 1 else ${maxInHand} end`;

const mayBegin = `(c.held_until is null or c.held_until <= $1 or c.held_until > $2)
  and (${inHand}) < ${maxTurns}`;

interface WaitingChannel {
  readonly id: number;
  /** Turns that it has. */
  readonly inHand: number;
}

/** Channels that wait for a turn. The recursion visits each channel in the queue once, however long the queue is. */
async function listWaitingChannels(tx: Tx, claim: TurnClaim, limit: number): Promise<WaitingChannel[]> {
  if (limit <= 0) return [];
  const head = `select n.id from notifications n where n.channel_id = c.id and ${isFree} and ${isToChannel}
    and ${isHead} order by n.id limit 1`;
  const text = `with recursive queued(id) as (
      select min(channel_id) from notifications where settled_at is null
      union all
      select (select min(channel_id) from notifications where settled_at is null and channel_id > queued.id)
        from queued where queued.id is not null)
    select id, in_hand from (
      select c.id, c.timeouts, (${inHand}) as in_hand, (${head}) as head
      from queued join channels c on c.id = queued.id where ${mayBegin}) w
    where head is not null
    order by in_hand, case when coalesce(timeouts, 0) > 0 then 1 else 0 end, head limit ${limit}`;
  return querySql(tx, { id: column.bigint(), inHand: column.bigint() }, text, notDue(claim));
}

async function takeTurn(tx: Tx, channelId: number, claim: TurnClaim): Promise<DeliveryTurn | undefined> {
  const channel = await lockWaiting(tx, channelId, claim);
  if (channel === undefined) return undefined;
  const isRead = isForPeople(channel.kind);
  const allowance = allowanceOf(channel, isRead ? claim.digestPerMinute : 0, claim.now);
  if (allowance.left === 0 && (await isGathering(tx, allowance.minuteAt, claim.now))) {
    await updateChannel(tx, channelId, { heldUntil: claim.now + gatherPause });
    return undefined;
  }
  const usual = Math.min(maxBatches, allowance.left, isProbing(channel) ? 1 : maxBatches);
  const isLimited = isRead && claim.digestPerMinute > 0;
  const found = await listHeads(tx, channelId, isLimited ? maxDigest : usual, claim);
  const isDigest = allowance.left === 0 || (isLimited && isBacklog(found, claim));
  // a digest waits until the messages before it are delivered
  if (isDigest && (await countInHand(tx, channelId)) > 0) return undefined;
  const heads = isolateCrashed(isDigest ? found : found.slice(0, usual));
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

const maxGathering = 30 * microsPerSecond;
const gatherPause = microsPerSecond;

/**
 * Whether a digest should wait for the messages about further checks that are down already: until all of them are
 * marked and have their messages, for half a minute at most after the first message of this minute.
 */
async function isGathering(tx: Tx, minuteAt: Micros, now: Micros): Promise<boolean> {
  if (now >= minuteAt + maxGathering) return false;
  const flip = 'select 1 as found from flips where processed_at is null limit 1';
  if ((await executeSql(tx, flip)) > 0) return true;
  const overdue = `select 1 as found from check_states
    where alert_after is not null and alert_after < $1 and stored_status <> 'down' order by alert_after limit 1`;
  return (await executeSql(tx, overdue, [now])) > 0;
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
    // no key changes, so messages to the channel can be inserted meanwhile
    const locked = 'select id from channels where id = $1 for no key update skip locked';
    if ((await querySql(tx, { id: column.bigint() }, locked, [id])).length === 0) return undefined;
  }
  const text = `select c.* from channels c where c.id = $3 and ${mayBegin}`;
  const [channel] = await querySql(tx, channels.columns, text, [...notDue(claim), id]);
  return channel && readChannel(tx, channel);
}
