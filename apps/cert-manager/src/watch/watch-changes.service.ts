import { newRowId, type Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import { deletePingsOf, insertPing } from './pings/watch-pings.repository.js';
import type { WatchSignal } from './signal-now.js';
import { forgetSent, touchWatched, wasPinged, watchFqdn } from './watched-fqdns.repository.js';
import { findWatched, stateText, type WatchedSubject } from './watched-subject.service.js';

/** Dependencies of the reactions of the watch; they change rows of the database and never call the monitor. */
export interface WatchDeps {
  readonly clock: Clock;
  /** Undefined if no monitor is set: nothing is queued, and once there is one, the sweep finds what was missed. */
  readonly watch: { readonly watchesExpiry: boolean } | undefined;
}

export type FqdnIds = Pick<FqdnRow, 'id' | 'spaceId'>;

/** Returns undefined if the FQDN is not watched. */
export async function findSubject(
  tx: Tx,
  fqdnId: string,
  { clock, watch }: WatchDeps,
): Promise<WatchedSubject | undefined> {
  return watch && findWatched(tx, fqdnId, { now: clock.now(), ...watch });
}

/** Queues a ping to the monitor. */
export async function queuePing(
  tx: Tx,
  { fqdn }: WatchedSubject,
  { signal, body }: { readonly signal: WatchSignal; readonly body: string },
  { clock }: WatchDeps,
): Promise<void> {
  const now = clock.now();
  await insertPing(tx, { id: newRowId(now), subject: fqdn.id, signal, body, createdAt: now });
  await watchFqdn(tx, fqdn, now);
}

/** Has the check of an FQDN updated whose renewal is planned for another moment. */
export async function updateCheck(
  tx: Tx,
  { fqdn }: { readonly fqdn: FqdnIds },
  { clock, watch }: WatchDeps,
): Promise<void> {
  if (watch !== undefined) await watchFqdn(tx, fqdn, clock.now());
}

/** Makes the check follow a state of another kind, such as that of an FQDN whose renewal was switched. */
export async function changeMode(tx: Tx, { id, spaceId }: FqdnIds, deps: WatchDeps): Promise<void> {
  if (deps.watch === undefined) return;
  const subject = await findSubject(tx, id, deps);
  if (subject === undefined) return touchWatched(tx, { fqdnId: id }, deps.clock.now());
  const { signal } = subject.now;
  await forgetSent(tx, [id]);
  const isPinged = await wasPinged(tx, id);
  if (isPinged && signal !== 'log') return queuePing(tx, subject, { signal, body: stateText(subject) }, deps);
  // what is not sent yet is about another mode; a check without pings begins with the state of then
  if (!isPinged) await deletePingsOf(tx, id);
  return watchFqdn(tx, { id, spaceId }, deps.clock.now());
}
