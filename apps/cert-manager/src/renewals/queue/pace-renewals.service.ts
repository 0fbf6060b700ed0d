import type { Tx } from '@certloop/db';
import {
  paceAfterBegin,
  paceAfterRefusal,
  roomOf,
  windowBefore,
} from '../../providers/pace/provider-pace.js';
import type { SignRefusal } from '../../providers/provider.js';
import { lockProvider, storePace } from '../../providers/providers.repository.js';
import { countCompletedSince, countUnderWay } from './due-renewals.repository.js';
import { type FailedTry, nextTry } from './retry-policy.js';

/** Room of a CA for renewals. */
export interface CaRoom {
  /** How many may be begun. */
  readonly room: number;
  /** Records how many were begun. */
  readonly take: (count: number) => Promise<void>;
}

/**
 * How many renewals a CA has room for that has refused one for its rate limit: one first after the pause, then as many as
 * worked before. Its provider is locked until the transaction ends; FQDNs are locked before.
 */
export async function lockRoom(tx: Tx, providerId: string, now: Date): Promise<CaRoom> {
  const { pace: stored } = await lockProvider(tx, providerId);
  const { room, pace } = roomOf(stored, { now, underWay: await countUnderWay(tx, providerId) });
  return {
    room,
    take: async (count) => {
      const next = pace && paceAfterBegin(pace, count, now);
      if (next !== stored) await storePace(tx, providerId, next);
    },
  };
}

/**
 * The moment at which an entry is tried again that the CA refused for its rate limit; all processes pause until then.
 * Requests of users that are refused set no pause: many limits count one name, and a user who repeats such a request
 * would stop the renewals of all others.
 */
export async function pauseProvider(
  tx: Tx,
  providerId: string,
  failed: FailedTry,
  { notBefore }: SignRefusal,
): Promise<Date> {
  const { now } = failed;
  const { pace: before } = await lockProvider(tx, providerId);
  const isTimed = notBefore !== undefined && notBefore > now;
  // without a time, the delays count the refusals of the CA, not those of one entry
  const bounded = nextTry({ ...failed, ...(!isTimed && { attempt: (before?.refusals ?? 0) + 1 }) });
  const until = isTimed && notBefore < bounded ? notBefore : bounded;
  const windowMs = windowBefore(until, now);
  const accepted = await countCompletedSince(tx, providerId, new Date(now.getTime() - windowMs));
  const pace = paceAfterRefusal(before, { now, until, accepted, windowMs, random: Math.random() });
  await storePace(tx, providerId, pace);
  return new Date(pace.pausedUntil);
}
