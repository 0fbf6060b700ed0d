import { column, type Database, executeSql, querySql, type Tx, yieldBetween } from '@certloop/db';
import { lockChannel } from '../channels/channels.repository.js';
import type { Clock, Micros } from '../instants.js';
import { recordGivenUp } from '../notifications/channel-outcome.repository.js';
import { crashesAlone, maxMessageAge } from './ladder.js';

const maxAtOnce = 100;
const messagesPerTransaction = 500;
const heldError = 'the target accepted no messages for 24 hours';
const crashError = 'its process ended each time that the message was sent';

/**
 * Settles as failed what is older than 24 hours and waits for a channel that takes nothing at present: behind a limit
 * of one message an hour, each would wait for its turn for days. So is what is that old and killed its workers.
 */
export async function expireHeld({
  db,
  clock,
}: {
  readonly db: Database;
  readonly clock: Clock;
}): Promise<void> {
  const instant = clock.now();
  const text = `select n.channel_id, min(n.created_at) as since from channels c join notifications n on n.channel_id = c.id
    where (c.held_until > $1 or n.crashes >= ${crashesAlone}) and n.settled_at is null and n.turn_id is null and n.created_at <= $2
    group by n.channel_id limit ${maxAtOnce}`;
  const values = [instant, instant - maxMessageAge];
  const columns = { channelId: column.bigint(), since: column.preciseInstant() };
  const found = await db.read((tx) => querySql(tx, columns, text, values));
  for await (const { channelId, since } of yieldBetween(found)) {
    // a process that ends in between leaves the rest for the next call; the notice is queued once
    for await (const _round of yieldBetween()) {
      const count = await db.transaction((tx) => expireSome(tx, channelId, { since, instant }));
      if (count < messagesPerTransaction) break;
    }
  }
}

interface Expiry {
  /** When the oldest of the messages was queued. */
  readonly since: Micros;
  readonly instant: Micros;
}

/** Settles some of the old messages of the channel as failed, and returns how many. */
async function expireSome(tx: Tx, channelId: number, { since, instant }: Expiry): Promise<number> {
  const channel = await lockChannel(tx, channelId);
  if (channel === undefined) return 0;
  const isHeld = (channel.heldUntil ?? 0) > instant;
  const error = channel.lastError ?? (isHeld ? heldError : crashError);
  // conditions of both: another process may claim a message between them
  const expire = `update notifications set settled_at = $1, error = coalesce(error, $2)
    where settled_at is null and turn_id is null and id in (select id from notifications
      where channel_id = $3 and settled_at is null and turn_id is null and created_at <= $4
        ${isHeld ? '' : `and crashes >= ${crashesAlone}`}
      order by id limit ${messagesPerTransaction})`;
  const count = await executeSql(tx, expire, [instant, error, channelId, instant - maxMessageAge]);
  await recordGivenUp(tx, channel, { since, error, now: instant });
  return count;
}
