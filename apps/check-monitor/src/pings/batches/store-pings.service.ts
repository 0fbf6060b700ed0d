import { AppError, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { applySignal } from '../../checks/check-state.js';
import { flipRow } from '../../checks/checks.service.js';
import type { FlipRow } from '../../flips/flips.repository.js';
import type { Clock } from '../../instants.js';
import { type IncomingPing, readExitStatus, readRunId } from '../incoming-ping.js';
import type { PingLimits } from '../ping-limits.service.js';
import { nextPlace } from '../ping-ring.js';
import type { Ping, PingRow } from '../pings.repository.js';
import { type PruneDeps, pruneAfter } from '../prune-alerts.service.js';
import { signalOfHttpPing, signalOfMail } from '../signal.js';
import { findKnownChecks, lockKnownChecks } from './known-checks.repository.js';
import type { KnownCheck, KnownChecks } from './known-checks.store.js';
import { commitPings, insertPings, type PingRows } from './ping-batch.repository.js';

export interface StorePingsDeps extends PruneDeps, PingLimits {
  readonly clock: Clock;
}

/** A ping and the check that it is for. */
export interface AddressedPing {
  readonly uuid: string;
  readonly ping: IncomingPing;
}

/** A ping as its check counts it. */
type StoredPing = Pick<Ping, 'checkId' | 'n' | 'at'>;

/** Why a ping was refused; undefined when it is stored. */
export type PingRefusal = AppError | undefined;

/** Nothing was written, since another process had changed the check. */
export const outdated = Symbol('outdated');

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

/** Checks as pings change them one after another, and the rows to write. */
class Batch {
  readonly #checks: ReadonlyMap<string, KnownCheck>;
  readonly #deps: Pick<StorePingsDeps, 'clock' | 'pingLimit'>;
  readonly #pings: (PingRow & StoredPing)[] = [];
  readonly #flips: Omit<FlipRow, 'id'>[] = [];
  readonly #shrunk = new Set<KnownCheck>();
  readonly changed = new Set<KnownCheck>();

  /** The checks are changed in place. */
  constructor(checks: readonly KnownCheck[], deps: Pick<StorePingsDeps, 'clock' | 'pingLimit'>) {
    this.#checks = new Map(checks.map((check) => [check.uuid, check]));
    this.#deps = deps;
  }

  add({ uuid, ping }: AddressedPing): PingRefusal {
    const check = this.#checks.get(uuid);
    if (check === undefined) return new NotFound('not found');
    try {
      this.#apply(check, ping, readExitStatus(ping.address), readRunId(ping.address));
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  rows(): PingRows {
    const byId = new Map([...this.changed].map((check) => [check.id, check]));
    // without pings that later ones of the batch overwrite
    const pings = this.#pings.filter(({ checkId, n }) => {
      const check = byId.get(checkId);
      return check !== undefined && n > check.pingCount - check.slotCount;
    });
    return { checks: [...this.changed], pings, flips: this.#flips, shrunk: [...this.#shrunk] };
  }

  stored(): readonly StoredPing[] {
    return this.#pings;
  }

  /** Counts the revision of the checks that were written; returns the uuids of the others. */
  settle(written: ReadonlySet<number>): Set<string> {
    const outdated = new Set<string>();
    for (const check of this.changed) {
      if (written.has(check.id)) Object.assign(check, { revision: check.revision + 1 });
      else outdated.add(check.uuid);
    }
    return outdated;
  }

  #apply(check: KnownCheck, ping: IncomingPing, exitStatus: number | null, runId: string | null): void {
    const { address, method, userAgent, body, origin } = ping;
    const at = this.#deps.clock.now();
    const signal = ping.mail
      ? signalOfMail(ping.mail, check)
      : signalOfHttpPing({ action: address.action, exitStatus, method, body }, check);
    const { state, flip } = applySignal(check, signal, runId, at);
    const n = check.pingCount + 1;
    const ring = nextPlace(check, check.pingLimit ?? this.#deps.pingLimit);
    if (ring.slotCount < check.slotCount) this.#shrunk.add(check);
    Object.assign(check, state, ring, { pingCount: n });
    this.changed.add(check);
    this.#pings.push({
      checkId: check.id,
      slot: ring.lastSlot,
      n,
      at,
      signal,
      method,
      userAgent,
      runId,
      exitStatus,
      scheme: origin.scheme,
      remoteAddr: origin.remoteAddr,
      body: body.length === 0 ? null : body,
    });
    if (flip !== undefined) this.#flips.push(flipRow(check.id, flip));
  }
}
