import type { Tx } from '@certloop/db';
import {
  paceAfterBegin,
  paceAfterRefusal,
  roomOf,
  windowBefore,
} from '../../providers/pace/provider-pace.js';
import type { SignRefusal } from '../../providers/provider.js';
import { findProvider, lockProvider, storePace } from '../../providers/providers.repository.js';
import type { RenewalRow } from '../renewals.repository.js';
import {
  claimRenewals,
  countCompletedSince,
  countUnderWay,
  type RenewalClaim,
} from './due-renewals.repository.js';
import { type FailedTry, nextTry } from './retry-policy.js';

/**
 * Claims due entries of a provider, as many as its CA has room for: all that are asked for, unless it has refused one for
 * its rate limit. Then one goes first after the pause, and the others at the rate that worked, by what ends first.
 */
export async function claimAtPace(tx: Tx, claim: RenewalClaim): Promise<RenewalRow[]> {
  const { providerId, now, limit } = claim;
  // without a lock, since hardly any provider has a pace
  const found = await findProvider(tx, providerId);
  if (found === undefined || found.pace === null) return claimRenewals(tx, claim);
  const { pace: stored } = await lockProvider(tx, providerId);
  const { room, pace } = roomOf(stored, { now, underWay: await countUnderWay(tx, providerId) });
  const entries = await claimRenewals(tx, { ...claim, limit: Math.min(limit, room), byExpiry: true });
  const next = pace && paceAfterBegin(pace, entries.length, now);
  if (next !== stored) await storePace(tx, providerId, next);
  return entries;
}

/** The moment at which an entry is tried again that the CA refused for its rate limit; all processes pause until then. */
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
