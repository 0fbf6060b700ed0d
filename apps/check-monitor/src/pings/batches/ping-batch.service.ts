import { AppError, NotFound } from '@certloop/contracts';
import { applySignal } from '../../checks/check-state.js';
import { flipRow } from '../../checks/checks.service.js';
import type { FlipRow } from '../../flips/flips.repository.js';
import type { Clock } from '../../instants.js';
import { type IncomingPing, readExitStatus, readRunId } from '../incoming-ping.js';
import type { PingLimits } from '../ping-limits.service.js';
import { nextPlace } from '../ping-ring.js';
import type { Ping, PingRow } from '../pings.repository.js';
import type { PruneDeps } from '../prune-alerts.service.js';
import { signalOfHttpPing, signalOfMail } from '../signal.js';
import type { KnownCheck } from './known-checks.store.js';
import type { PingRows } from './ping-batch.repository.js';

export interface StorePingsDeps extends PruneDeps, PingLimits {
  readonly clock: Clock;
}

/** A ping and the check that it is for. */
export interface AddressedPing {
  readonly uuid: string;
  readonly ping: IncomingPing;
}

/** A ping as its check counts it. */
export type StoredPing = Pick<Ping, 'checkId' | 'n' | 'at'>;

/** Why a ping was refused; undefined when it is stored. */
export type PingRefusal = AppError | undefined;

/** Nothing was written, since another process had changed the check. */
export const outdated = Symbol('outdated');

/** Checks as pings change them one after another, and the rows to write. */
export class Batch {
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
