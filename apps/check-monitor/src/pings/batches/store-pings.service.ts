import type { Tx } from '@certloop/db';
import { pruneAfter } from '../prune-alerts.service.js';
import { findKnownChecks, lockKnownChecks } from './known-checks.repository.js';
import type { KnownCheck, KnownChecks } from './known-checks.store.js';
import { commitPings, insertPings } from './ping-batch.repository.js';
import {
  type AddressedPing,
  Batch,
  outdated,
  type PingRefusal,
  type StoredPing,
  type StorePingsDeps,
} from './ping-batch.service.js';

/**
 * Stores pings and their effects in the given order, in one transaction. A rejected ping does not affect the others.
 * Cached checks are trusted because concurrent changes are rare; for an outdated one, nothing is written. While this
 * runs, no other call may store pings of these checks with the same cache `known`.
 */
export async function storePings(
  deps: StorePingsDeps,
  known: KnownChecks,
  pings: readonly AddressedPing[],
): Promise<(PingRefusal | typeof outdated)[]> {
  try {
    const batch = new Batch(await knownChecks(deps, known, pings), deps);
    const refusals = pings.map((ping) => batch.add(ping));
    if (batch.changed.size === 0) return refusals;
    const changedElsewhere = batch.settle(await commitPings(deps.db, batch.rows()));
    const pruned = await pruneAfter(deps, batch.stored());
    // read again, as the limit of its account may have changed
    for (const { id, uuid } of batch.changed) if (pruned.has(id)) known.forget(uuid);
    if (changedElsewhere.size === 0) return refusals;
    for (const uuid of changedElsewhere) known.forget(uuid);
    return refusals.map((refusal, place) =>
      changedElsewhere.has(pings[place]?.uuid ?? '') ? outdated : refusal,
    );
  } catch (error) {
    for (const { uuid } of pings) known.forget(uuid);
    throw error;
  }
}

/** Stores pings of checks that it locks until the transaction ends. */
export async function storePingsLocked(
  deps: StorePingsDeps,
  pings: readonly AddressedPing[],
): Promise<PingRefusal[]> {
  const { refusals, stored } = await deps.db.transaction((tx) => insertPingsLocked(deps, tx, pings));
  await pruneAfter(deps, stored);
  return refusals;
}

/** As storePingsLocked, in the given transaction. After its commit, pass `stored` to `pruneAfter`. */
export async function insertPingsLocked(
  deps: Pick<StorePingsDeps, 'clock' | 'pingLimit'>,
  tx: Tx,
  pings: readonly AddressedPing[],
): Promise<{ readonly refusals: PingRefusal[]; readonly stored: readonly StoredPing[] }> {
  const uuids = [...new Set(pings.map(({ uuid }) => uuid))];
  const batch = new Batch(await lockKnownChecks(tx, uuids), deps);
  const refusals = pings.map((ping) => batch.add(ping));
  if (batch.changed.size === 0) return { refusals, stored: [] };
  const written = await insertPings(tx, batch.rows());
  if (written.size !== batch.changed.size) throw new Error('a check changed while it was held');
  return { refusals, stored: batch.stored() };
}

/** The checks that exist; reads those that are not cached. */
async function knownChecks(
  { db }: StorePingsDeps,
  known: KnownChecks,
  pings: readonly AddressedPing[],
): Promise<KnownCheck[]> {
  const checks: KnownCheck[] = [];
  const unknown: string[] = [];
  for (const uuid of new Set(pings.map(({ uuid }) => uuid))) {
    const check = known.get(uuid);
    if (check === undefined) unknown.push(uuid);
    else checks.push(check);
  }
  if (unknown.length === 0) return checks;
  const found = await findKnownChecks(db, unknown);
  for (const check of found) known.add(check);
  return [...checks, ...found];
}
